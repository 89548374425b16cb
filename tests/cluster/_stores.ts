import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeKeys } from '@family-inbox/deploy/key-folder'
import { findMongod } from '@family-inbox/local-stack/binaries/find-mongod'
import { findNatsServer } from '@family-inbox/local-stack/binaries/find-nats-server'
import { freePort } from '@family-inbox/local-stack/free-port'
import { startMongod } from '@family-inbox/local-stack/mongod'
import { startNatsServer } from '@family-inbox/local-stack/nats-server'
import { readEnvironment } from '@family-inbox/service-kit/config/config'

/** A mongod and a nats-server for a test's pods, and a folder of keys as for a cluster. */
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
  const keys = join(dir, 'keys')
  await makeKeys(keys, { mongodbUri: mongoUri, smtpUrl: 'smtp://mailpit:1025' })
  if ('external' in natsServer) throw new Error('this test needs a nats-server with users of its own: unset NATS_URL')
  const users = () => readFile(join(keys, 'nats-users/users.conf'), 'utf8')
  const nats = stack.use(
    await startNatsServer({
      binary: natsServer.path,
      dir: join(dir, 'nats'),
      port: await freePort(),
      logFile: logFile('nats'),
      users: await users(),
    }),
  )
  /** Gives nats-server the folder's users, as after a rotation step. */
  const reloadUsers = async () => nats.setUsers(await users())
  return { mongoUri, natsUrl: nats.url, keys, reloadUsers, natsLog: logFile('nats') }
}
