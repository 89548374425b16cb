import { join } from 'node:path'
import { findMongod } from '@family-inbox/local-stack/binaries/find-mongod'
import { findNatsServer } from '@family-inbox/local-stack/binaries/find-nats-server'
import { freePort } from '@family-inbox/local-stack/free-port'
import { startMongod } from '@family-inbox/local-stack/mongod'
import { startNatsServer } from '@family-inbox/local-stack/nats-server'
import { readEnvironment } from '@family-inbox/service-kit/config'

/** A mongod and a nats-server for the pods of a test, which go with its stack. */
export async function startStores(stack: AsyncDisposableStack, dir: string) {
  const search = { env: readEnvironment(), say: () => {} }
  const mongod = await findMongod(search)
  const natsServer = await findNatsServer(search)
  const logFile = (name: string) => join(dir, `${name}.log`)
  const mongoUri =
    'external' in mongod
      ? mongod.external
      : stack.use(
          await startMongod({
            binary: mongod.path,
            dir: join(dir, 'mongod'),
            port: await freePort(),
            logFile: logFile('mongod'),
          }),
        ).uri
  const natsUrl =
    'external' in natsServer
      ? natsServer.external
      : stack.use(
          await startNatsServer({
            binary: natsServer.path,
            dir: join(dir, 'nats'),
            port: await freePort(),
            logFile: logFile('nats'),
          }),
        ).url
  return { mongoUri, natsUrl }
}
