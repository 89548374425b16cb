import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import { openDurableStream } from '@family-inbox/service-kit/nats/durable-stream'
import { createLogger } from '@family-inbox/service-kit/observability/logger'
import test from 'ava'
import { connect, RetentionPolicy } from 'nats'
import { findNatsServer } from './binaries/find-nats-server.ts'
import { freePort } from './free-port.ts'
import { startNatsServer } from './nats-server.ts'
import { waitFor } from './wait-for.ts'

async function withNatsServer() {
  const dir = await mkdtemp(join(tmpdir(), "family inbox's nats-")) // needs quoting
  const { NATS_URL: _external, ...env } = readEnvironment()
  const found = await findNatsServer({ env, say: () => {} })
  const binary = 'path' in found ? found.path : ''
  const server = await startNatsServer({
    binary,
    dir: join(dir, 'data'),
    port: await freePort(),
    logFile: join(dir, 'log'),
  })
  return {
    server,
    binary,
    config: join(dir, 'data', 'nats-server.conf'),
    async [Symbol.asyncDispose]() {
      await server.process.stop()
      await rm(dir, { recursive: true })
    },
  }
}

test('an acknowledged message survives a kill of nats-server', async (t) => {
  await using it = await withNatsServer()
  const connection = await connect({ servers: it.server.url, reconnectTimeWait: 50, maxReconnectAttempts: -1 })
  const admin = await connection.jetstreamManager()
  await admin.streams.add({ name: 'mail', subjects: ['mail.>'], retention: RetentionPolicy.Limits })
  await connection.jetstream().publish('mail.one', 'hello')
  const reconnected = (async () => {
    for await (const status of connection.status()) if (status.type === 'reconnect') return
  })()
  it.server.process.kill('SIGKILL')
  await reconnected
  const message = await admin.streams.getMessage('mail', { last_by_subj: 'mail.one' })
  t.is(message.string(), 'hello')
  t.is(it.server.process.deaths, 1)
  await connection.close()
})

test('nats-server listens on this machine only and accepts messages of up to 8 MB', async (t) => {
  await using it = await withNatsServer()
  const connection = await connect({ servers: it.server.url })
  t.is(connection.info?.max_payload, 8 * 1024 * 1024)
  t.is(connection.info?.host, '127.0.0.1')
  await connection.close()
})

test('nats-server acknowledges only what is on disk', async (t) => {
  await using it = await withNatsServer()
  await it.server.process.stop()
  const monitoring = await freePort()
  const server = spawn(it.binary, ['--config', it.config, '--http_port', `${monitoring}`], { stdio: 'ignore' })
  const ask = () =>
    fetch(`http://127.0.0.1:${monitoring}/varz`).then(
      (response) => response.json(),
      () => undefined,
    )
  type Varz = { jetstream: { config: { sync_always?: boolean } } } | undefined
  const answer = await waitFor(ask as () => Promise<Varz>, {
    timeoutMs: 5000,
    timeout: () => new Error('nats-server does not respond'),
  })
  server.kill('SIGKILL')
  t.true(answer.jetstream.config.sync_always)
})

test('a stream that is closed before NATS answers leaves no connection behind', async (t) => {
  await using it = await withNatsServer()
  const { privateKey } = generateKeyPairSync('ed25519')
  const access = { natsUrl: it.server.url, serviceKey: privateKey.export({ format: 'jwk' }), natsUnauthenticated: true }
  const stream = openDurableStream(access, async () => {}, createLogger('test', 'error'))
  await stream[Symbol.asyncDispose]()
  const connection = await stream.connection
  t.is(await connection.closed(), undefined)
})
