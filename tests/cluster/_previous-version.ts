import { execFile } from 'node:child_process'
import { cpSync, existsSync } from 'node:fs'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { REPOSITORY } from '@family-inbox/local-stack/services'

const run = promisify(execFile)

/** The version that the released contract belongs to, as a folder that its services start from. */
export type PreviousVersion = AsyncDisposable & { commit: string; folder: string }

/** What changes with each release: the contract that later ones must not break. */
const RELEASED = 'proto/released.binpb'
/** All that pipe is made of. */
const PARTS = ['proto', 'packages/service-kit', 'packages/workspace-kit', 'services/pipe']

/** @returns undefined where git has no history, as in a shallow clone */
export async function checkOutPreviousVersion(): Promise<PreviousVersion | undefined> {
  const commit = await previousCommit()
  if (commit === undefined) return undefined
  const folder = await mkdtemp(join(tmpdir(), 'family-inbox-previous-'))
  const archive = join(folder, 'archive.tar')
  await git('archive', '--output', archive, commit, ...PARTS)
  await run('tar', ['-xf', archive, '-C', folder])
  // The same versions of libraries: this is about our own code.
  await symlink(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'))
  for (const part of PARTS) {
    const modules = join(part, 'node_modules')
    if (existsSync(join(REPOSITORY, modules)))
      cpSync(join(REPOSITORY, modules), join(folder, modules), { recursive: true, verbatimSymlinks: true })
  }
  // What only the version before needs of them is among the libraries of all parts.
  for (const parts of ['packages', 'services'])
    await symlink(join(REPOSITORY, 'node_modules/.pnpm/node_modules'), join(folder, parts, 'node_modules'))
  const PATH = [join(REPOSITORY, 'scripts/node_modules/.bin'), dirname(process.execPath), process.env.PATH].join(
    delimiter,
  )
  await run('buf', ['generate'], { cwd: join(folder, 'proto'), env: { ...process.env, PATH } })
  return { commit, folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

async function previousCommit(): Promise<string | undefined> {
  try {
    // In a shallow clone the oldest commit seems to have written every file.
    if ((await git('rev-parse', '--is-shallow-repository')) === 'true') return undefined
    return (await git('log', '-1', '--format=%H', '--', RELEASED)) || undefined
  } catch {
    return undefined
  }
}

async function git(...args: string[]): Promise<string> {
  return (await run('git', args, { cwd: REPOSITORY })).stdout.trim()
}
