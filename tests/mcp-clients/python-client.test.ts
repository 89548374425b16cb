import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { joinFamily } from '../_family.ts'

const run = promisify(execFile)
const VERSION = '2.3.0'

/** The official Python client, installed once into a cache. */
async function fetchClient(): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'family-care-inbox')
  const target = join(cache, `python-mcp-${VERSION}`)
  if (existsSync(target)) return target
  await mkdir(cache, { recursive: true })
  const fetched = `${target}.${process.pid}`
  await run('python3', ['-m', 'pip', 'install', '--quiet', '--target', fetched, `mcp==${VERSION}`])
  await rename(fetched, target).catch(() => rm(fetched, { recursive: true }))
  return target
}

test('the official Python client lists the tools, reads mail with a key, and sees tool errors', async (t) => {
  const [PYTHONPATH, f] = await Promise.all([fetchClient(), joinFamily()])
  try {
    const script = join(import.meta.dirname, 'python_client.py')
    const args = [script, `${f.stack.apiUrl}/mcp/v1`, f.family.keys.viewer, f.family.lovedOnes[0]?.id ?? '']
    const { stdout } = await run('python3', args, { env: { ...process.env, PYTHONPATH }, timeout: 60_000 })
    const seen = JSON.parse(stdout)
    t.is(seen.tools.length, 10)
    t.true(seen.subjects.includes('Your lab results are ready'))
    t.regex(seen.body, /Care plan/)
    t.deepEqual(seen.wrong, [true, 'messageId is required.'])
  } finally {
    await f[Symbol.asyncDispose]()
  }
})
