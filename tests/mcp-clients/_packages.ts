import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'family-care-inbox')

/** Installs a Python package once. @returns what to set as PYTHONPATH */
export function fetchPython(name: string, version: string): Promise<string> {
  return fetchOnce(`python-${name}-${version}`, (folder) =>
    run('python3', ['-m', 'pip', 'install', '--quiet', '--target', folder, `${name}==${version}`]),
  )
}

/** Installs a Node package once. @returns the folder it is in */
export async function fetchNode(name: string, version: string): Promise<string> {
  const folder = await fetchOnce(`node-${name.replace('/', '-')}-${version}`, (target) =>
    run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefix', target, `${name}@${version}`]),
  )
  return join(folder, 'node_modules', name)
}

/** Only a complete installation gets the final name. */
async function fetchOnce(name: string, install: (folder: string) => Promise<unknown>): Promise<string> {
  const target = join(CACHE, name)
  if (existsSync(target)) return target
  const fetched = `${target}.${process.pid}`
  await mkdir(fetched, { recursive: true })
  await install(fetched)
  await rename(fetched, target).catch(() => rm(fetched, { recursive: true }))
  return target
}
