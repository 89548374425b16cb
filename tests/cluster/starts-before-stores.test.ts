import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findMongod } from '@family-inbox/local-stack/binaries/find-mongod'
import { environmentToConfig } from '@family-inbox/local-stack/config'
import { freePort } from '@family-inbox/local-stack/free-port'
import { startMongod } from '@family-inbox/local-stack/mongod'
import { planStack } from '@family-inbox/local-stack/plan'
import { runStack } from '@family-inbox/local-stack/run-stack'
import { services } from '@family-inbox/local-stack/services'
import { waitFor } from '@family-inbox/local-stack/wait-for'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import test from 'ava'

const READY_MS = 60_000
const say = () => {}

test('a service that starts before its stores is alive but not ready, and is ready when MongoDB answers', async (t) => {
  await using stack = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-early-'))
  stack.defer(() => rm(dir, { recursive: true, force: true }))
  const port = await freePort()
  const settings = {
    ...readEnvironment(),
    PROCESSES: 'seven',
    DATA_DIR: dir,
    SMTP_PORT: `${await freePort()}`,
    MONGODB_URI: `mongodb://127.0.0.1:${port}/?replicaSet=rs0`,
    NATS_URL: `nats://127.0.0.1:${await freePort()}`,
  }
  const config = environmentToConfig(settings)
  const withStores = services.filter(({ database }) => database !== undefined)
  const running = runStack(await planStack(config, { services: withStores, say }))
  stack.defer(() => running.crash())
  const statusOf = (service: string, path: string) =>
    fetch(new URL(path, running.metricsUrls[service])).then(
      ({ status }) => status,
      () => undefined,
    )
  const answers = (service: string, path: string, status: number) =>
    waitFor(async () => (await statusOf(service, path)) === status || undefined, {
      timeoutMs: READY_MS,
      everyMs: 50,
      timeout: () => new Error(`${service} does not answer ${path} with ${status}`),
    })

  for (const { name } of withStores) await answers(name, '/livez', 200)
  for (const { name } of withStores) t.is(await statusOf(name, '/readyz'), 503, name)

  const mongod = await findMongod({ env: { ...readEnvironment(), MONGODB_URI: undefined }, say })
  if ('external' in mongod) return t.fail('this test starts a mongod of its own')
  const logFile = join(dir, 'mongod.log')
  stack.use(await startMongod({ binary: mongod.path, dir: join(dir, 'mongod'), port, logFile }))
  for (const { name } of withStores) await answers(name, '/readyz', 200)
  for (const { name } of withStores) t.is(running.deaths(name), 0, `${name} was not restarted`)
})
