import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openTlsFolder } from '@family-inbox/service-kit/tls/tls-folder'

type Pair = { certificate: string; key: string }

export type TlsFolder = AsyncDisposable & { dir: string; write(pair: Pair): Promise<void> }

/** As services open it for calls to one another. */
export const openQuietly = (dir: string) => openTlsFolder('GRPC_TLS_DIR', dir, { info() {}, warn() {} })

/** A folder like a mounted Kubernetes Secret: `tls.crt`, `tls.key` and `ca.crt`. */
export async function makeTlsFolder(pair: Pair, authority: string): Promise<TlsFolder> {
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-tls-'))
  const write = async ({ certificate, key }: Pair) => {
    await writeFile(join(dir, 'tls.key'), key)
    await writeFile(join(dir, 'tls.crt'), certificate)
  }
  await writeFile(join(dir, 'ca.crt'), authority)
  await write(pair)
  return { dir, write, [Symbol.asyncDispose]: () => rm(dir, { recursive: true }) }
}
