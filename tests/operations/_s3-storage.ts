import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { builtWithGo } from '@family-inbox/local-stack/binaries/built-with-go'
import type { Search } from '@family-inbox/local-stack/binaries/found'
import { freePort, isListening } from '@family-inbox/local-stack/free-port'
import { supervise } from '@family-inbox/local-stack/supervise'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import { until } from '../_wait.ts'

/** Its go.mod and go.sum pin Versity's S3 Gateway and what it is built of. */
const MODULE = join(import.meta.dirname, 's3-server')
const [ACCESS_KEY, SECRET_KEY] = ['of-the-backups', 'the secret of the backups']

export type Storage = AsyncDisposable & {
  port: number
  /** Of `npm run backup`, for a bucket that exists. */
  settings: Record<string, string>
  /** The objects of the bucket as files. */
  files: string
}

/** Builds the server, once per machine. */
export async function findS3Server(search: Search = { env: readEnvironment(), say: () => {} }): Promise<string> {
  const program = { name: 'Versity’s S3 Gateway', module: MODULE, packages: 'tool', takes: 'a minute or two' }
  return join(await builtWithGo(program, search), 'versitygw')
}

/** Starts an S3 server whose buckets are folders in `dir`, with the bucket `backups`. It keeps versions if `versions` is a folder. */
export async function startStorage(dir: string, versions?: string): Promise<Storage> {
  const port = await freePort()
  const [root, sidecar] = [join(dir, 'buckets'), join(dir, 'attributes')]
  const files = join(root, 'backups')
  for (const folder of [files, sidecar, ...(versions ? [versions] : [])]) await mkdir(folder, { recursive: true })
  const server = supervise({
    name: 's3',
    file: await findS3Server(),
    args: [
      ...['--port', `127.0.0.1:${port}`, '--access', ACCESS_KEY, '--secret', SECRET_KEY, '--quiet'],
      ...['posix', '--sidecar', sidecar, ...(versions ? ['--versioning-dir', versions] : []), root],
    ],
    logFile: join(dir, 's3.log'),
  })
  await until(() => isListening(port))
  return { port, settings: settingsAt(port), files, [Symbol.asyncDispose]: () => server.stop() }
}

/** Of a bucket behind this port of this machine. */
export function settingsAt(port: number): Record<string, string> {
  return {
    BACKUP_S3_ENDPOINT: `http://127.0.0.1:${port}`,
    BACKUP_S3_BUCKET: 'backups/home',
    BACKUP_S3_ACCESS_KEY: ACCESS_KEY,
    BACKUP_S3_SECRET_KEY: SECRET_KEY,
  }
}
