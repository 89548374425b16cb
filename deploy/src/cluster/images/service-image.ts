import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { REPOSITORY } from '@family-inbox/local-stack/services'
import { run } from '../system/run.ts'

/** All that the image of a service can contain. */
const SHARED = [
  ...['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'packages', 'proto'],
  ...['scripts/lay-out.mjs', 'scripts/settle.mjs'],
]

const SYSTEM_SCRIPT = join(REPOSITORY, 'scripts/lay-out-system.mjs')
/** All that the file system beside /app depends on. */
export const SYSTEM_SCRIPTS = [SYSTEM_SCRIPT, join(REPOSITORY, 'scripts/settle.mjs')]

/** Lays out /app as the Dockerfile does. */
export async function layOut(service: string, root: string): Promise<void> {
  const script = join(REPOSITORY, 'scripts/lay-out.mjs')
  await run([process.execPath, script, service, join(root, 'app')], { timeoutMs: 600_000 })
}

/** Lays out everything beside /app as the Dockerfile does: Node.js and its libraries, without a shell. */
export async function layOutSystem(root: string): Promise<void> {
  await run([process.execPath, SYSTEM_SCRIPT, root])
}

/** Changes with the sources of a service, what they import included. */
export async function sourcesOf(service: string): Promise<string> {
  const hash = createHash('sha256')
  for (const path of [...SHARED, join('services', service)]) {
    for (const file of await filesIn(join(REPOSITORY, path)))
      hash.update(relative(REPOSITORY, file)).update(await readFile(file))
  }
  return hash.digest('hex').slice(0, 12)
}

async function filesIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => undefined)
  if (!entries) return [path]
  const own = entries.filter(({ name }) => name !== 'node_modules' && !name.endsWith('.test.ts'))
  const nested = await Promise.all(
    own.map((entry) => {
      const inside = join(path, entry.name)
      return entry.isDirectory() ? filesIn(inside) : [inside]
    }),
  )
  return nested.flat().toSorted()
}
