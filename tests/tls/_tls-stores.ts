import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findMongod } from '@family-inbox/local-stack/binaries/find-mongod'
import { findNatsServer } from '@family-inbox/local-stack/binaries/find-nats-server'
import { freePort, isListening } from '@family-inbox/local-stack/free-port'
import { startMongod } from '@family-inbox/local-stack/mongod'
import { waitFor } from '@family-inbox/local-stack/wait-for'
import { readEnvironment } from '@family-inbox/service-kit/config/config'

export type TlsStores = AsyncDisposable & { mongoUri: string; natsUrl: string }

/** A mongod and a nats-server that accept only TLS. @param certificates a folder with tls.crt, tls.key and ca.crt */
export async function startTlsStores(certificates: string): Promise<TlsStores> {
  const stack = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-stores-'))
  stack.defer(() => rm(dir, { recursive: true, force: true }))
  const [mongod, nats] = [await freePort(), await freePort()]
  await startTlsMongod(stack, dir, certificates, mongod)
  await startTlsNats(stack, dir, certificates, nats)
  return {
    mongoUri: `mongodb://127.0.0.1:${mongod}/?replicaSet=rs0`,
    natsUrl: `tls://127.0.0.1:${nats}`,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Initiates the replica set without TLS, then restarts with it. */
async function startTlsMongod(stack: AsyncDisposableStack, dir: string, certificates: string, port: number) {
  const { MONGODB_URI: _external, ...env } = readEnvironment()
  const found = await findMongod({ env, say: () => {} })
  const binary = 'path' in found ? found.path : ''
  const dbpath = join(dir, 'mongod')
  const plain = await startMongod({ binary, dir: dbpath, port, logFile: join(dir, 'plain.log'), cacheSizeGb: 0.25 })
  await plain[Symbol.asyncDispose]()
  const both = await Promise.all(['tls.crt', 'tls.key'].map((file) => readFile(join(certificates, file), 'utf8')))
  await writeFile(join(dir, 'mongod.pem'), both.join('\n'))
  await start(stack, port, binary, [
    ...['--replSet', 'rs0', '--bind_ip', '127.0.0.1', '--port', `${port}`, '--nounixsocket', '--dbpath', dbpath],
    ...['--wiredTigerCacheSizeGB', '0.25', '--tlsMode', 'requireTLS', '--tlsAllowConnectionsWithoutCertificates'],
    ...['--tlsCertificateKeyFile', join(dir, 'mongod.pem'), '--tlsCAFile', join(certificates, 'ca.crt')],
  ])
}

async function startTlsNats(stack: AsyncDisposableStack, dir: string, certificates: string, port: number) {
  const { NATS_URL: _external, ...env } = readEnvironment()
  const found = await findNatsServer({ env, say: () => {} })
  const config = join(dir, 'nats.conf')
  await writeFile(
    config,
    `listen: "127.0.0.1:${port}"
max_payload: 8MB
jetstream { store_dir: ${JSON.stringify(join(dir, 'nats'))} }
tls { cert_file: ${JSON.stringify(join(certificates, 'tls.crt'))}, key_file: ${JSON.stringify(join(certificates, 'tls.key'))} }
`,
  )
  await start(stack, port, 'path' in found ? found.path : '', ['--config', config])
}

async function start(stack: AsyncDisposableStack, port: number, binary: string, args: string[]) {
  const child = spawn(binary, args, { stdio: 'ignore' })
  const ended = once(child, 'exit')
  stack.defer(async () => {
    child.kill('SIGKILL')
    await ended
  })
  await waitFor(async () => (await isListening(port)) || undefined, {
    timeoutMs: 60_000,
    timeout: () => new Error(`${binary} does not accept TLS connections`),
  })
}
