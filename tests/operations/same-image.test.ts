import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { REPOSITORY } from '@family-inbox/local-stack/services'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import test from 'ava'
import { layOutImage } from '../cluster/_pods.ts'

const run = promisify(execFile)

test('two checkouts of the same sources make the same image to the byte, whoever makes it and when', async (t) => {
  await using stack = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-checkout-'))
  stack.defer(() => rm(dir, { recursive: true, force: true }))
  const first = await describe(stack.use(await layOutImage('gateway')).dir)
  const checkout = join(dir, 'on/another/machine')
  await copySources(checkout)
  const elsewhere = join(dir, 'image')
  // Somebody whose new files nobody else may read.
  const command = 'umask 077; exec "$0" scripts/lay-out.mjs gateway "$1"'
  const env = readEnvironment()
  await run('sh', ['-c', command, process.execPath, elsewhere], { cwd: checkout, env, timeout: 300_000 })
  const second = await describe(elsewhere)
  t.log(`${first.length} files, sha256:${sha256(first.join('\n'))}`)
  t.deepEqual(different(first, second), [])
})

/** The files that git has, and new ones that it does not ignore. */
async function copySources(to: string): Promise<void> {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const { stdout } = await run('git', list, { cwd: REPOSITORY, maxBuffer: 1e7 })
  for (const path of stdout.split('\0').filter(Boolean)) {
    await mkdir(dirname(join(to, path)), { recursive: true })
    await cp(join(REPOSITORY, path), join(to, path), { preserveTimestamps: false })
  }
}

/** All that a layer of an image has of a folder: names, modes, times and contents. */
async function describe(folder: string): Promise<string[]> {
  // Entries say that a link is a link. Names alone would be followed.
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.map(({ parentPath, name }) => relative(folder, join(parentPath, name))).sort()
  const lines: string[] = []
  for (const path of ['.', ...paths]) lines.push(`${path} ${await describeEntry(join(folder, path))}`)
  return lines
}

async function describeEntry(path: string): Promise<string> {
  const entry = await lstat(path)
  const rights = `${entry.mode.toString(8)} ${entry.mtimeMs} ${entry.uid}:${entry.gid}`
  if (entry.isSymbolicLink()) return `${rights} -> ${await readlink(path)}`
  return entry.isFile() ? `${rights} ${sha256(await readFile(path))}` : rights
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

/** The lines that only one of the two has. */
function different(some: readonly string[], others: readonly string[]): string[] {
  const only = (own: readonly string[], other: ReadonlySet<string>) => own.filter((line) => !other.has(line))
  return [...only(some, new Set(others)), ...only(others, new Set(some))].sort()
}
