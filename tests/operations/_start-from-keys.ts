import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findNatsServer } from '@family-inbox/local-stack/binaries/find-nats-server'
import { type Env, environmentToConfig } from '@family-inbox/local-stack/config'
import { freePort } from '@family-inbox/local-stack/free-port'
import { startNatsServer } from '@family-inbox/local-stack/nats-server'
import { planStack } from '@family-inbox/local-stack/plan'
import { runStack, type Stack } from '@family-inbox/local-stack/run-stack'
import { type Identity, type IdentityKey, type IdentityKeys, identities } from '@family-inbox/local-stack/secrets'
import { services } from '@family-inbox/local-stack/services'
import { readEnvironment } from '@family-inbox/service-kit/config/config'

type Options = {
  /** The folder of `npm run keys`. */
  keys: string
  /** A new folder for logs and the files of nats-server. */
  dir: string
  mongoUri: string
  env: Env
  serviceEnv: Env
}

/** Runs every service with what a cluster gives it: the files of a folder of keys, and a nats-server with the users in it. */
export async function startFromKeys({ keys, dir, mongoUri, env, serviceEnv }: Options): Promise<Stack> {
  await using cleanUp = new AsyncDisposableStack()
  const read = (file: string) => readFile(join(keys, file), 'utf8')
  const binary = await findNatsServer({ env: readEnvironment(), say })
  if ('external' in binary) throw new Error('this test needs a nats-server with users of its own: unset NATS_URL')
  const nats = cleanUp.use(
    await startNatsServer({
      binary: binary.path,
      dir: join(dir, 'nats'),
      port: await freePort(),
      logFile: join(dir, 'nats.log'),
      users: await read('nats-users/users.conf'),
    }),
  )
  const settings = { ...readEnvironment(), ...env, PROCESSES: 'single', DATA_DIR: dir }
  const config = environmentToConfig({ ...settings, MONGODB_URI: mongoUri, NATS_URL: nats.url })
  const plan = await planStack(config, { services, serviceEnv, say })
  const stack = runStack({
    ...plan,
    keys: await readIdentities(read),
    secrets: await readSecrets(read),
    databaseUris: await readUris(read),
    natsUnauthenticated: false,
  })
  cleanUp.defer(stack.stop)
  await stack.waitReady()
  const owned = cleanUp.move()
  const stop = () => owned.disposeAsync()
  return { ...stack, stop, [Symbol.asyncDispose]: stop }
}

type Read = (file: string) => Promise<string>

async function readIdentities(read: Read): Promise<IdentityKeys> {
  const entries = identities.map(
    async (name): Promise<[Identity, IdentityKey]> => [name, JSON.parse(await read(`${name}/SERVICE_KEY`))],
  )
  const privateKeys = Object.fromEntries(await Promise.all(entries)) as Record<Identity, IdentityKey>
  return { privateKeys, publicKeys: JSON.parse(await read('service-keys/SERVICE_KEYS')) }
}

async function readSecrets(read: Read): Promise<Record<string, string>> {
  const files = services.flatMap(({ name, secrets = {} }) => Object.keys(secrets).map((each) => [name, each] as const))
  const found = files.map(async ([service, setting]) => [setting, await read(`${service}/${setting}`)] as const)
  return Object.fromEntries(await Promise.all(found))
}

async function readUris(read: Read): Promise<Record<string, string>> {
  const owners = services.filter(({ database }) => database !== undefined)
  const found = owners.map(async ({ name }) => [name, await read(`${name}/MONGODB_URI`)] as const)
  return Object.fromEntries(await Promise.all(found))
}

function say() {}
