import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { databaseUri } from '@family-inbox/local-stack/mongo-uri'
import { natsUsersConf } from '@family-inbox/local-stack/nats-users'
import {
  type Identity,
  type IdentityKey,
  identities,
  newKey,
  newSecret,
  publicHalf,
  type SecretKind,
} from '@family-inbox/local-stack/secrets'
import { services } from '@family-inbox/local-stack/services'
import { natsSeed } from '@family-inbox/service-kit/nats/nats-identity'
import { writeComponent } from './keys-component.ts'
import { rotateIdentity, rotateList, type Step } from './rotation.ts'

export type Stores = {
  mongodbUri: string
  smtpUrl?: string
}

const PUBLIC_KEYS = 'service-keys/SERVICE_KEYS'
/** For the operator's `nats` command. Services derive theirs. */
const NATS_SEED = 'ops/nats.nk'
const NATS_USERS = 'nats-users/users.conf'

/** Creates the missing secrets: `<folder>/<service>/<SETTING>`, the public keys, nats-server's users, and the component of them all. */
export async function makeKeys(folder: string, { mongodbUri, smtpUrl }: Stores): Promise<void> {
  for (const identity of identities) await keep(folder, keyFile(identity), () => JSON.stringify(newKey(identity)))
  const privateKeys = await Promise.all(identities.map((identity) => readJson<IdentityKey>(folder, keyFile(identity))))
  await keep(folder, PUBLIC_KEYS, () => JSON.stringify({ keys: privateKeys.map(publicHalf) }))
  await writePublicKeys(folder, (await readJson<PublicKeys>(folder, PUBLIC_KEYS)).keys.map(withNatsUser(privateKeys)))
  await keep(folder, NATS_SEED, () => natsSeed(privateKeys.find(({ service }) => service === 'ops')))
  for (const { name, database, secrets = {} } of services) {
    if (database) await keep(folder, `${name}/MONGODB_URI`, () => databaseUri(mongodbUri, database))
    for (const [setting, kind] of Object.entries(secrets)) {
      await keep(folder, `${name}/${setting}`, () => newSecret(kind))
    }
  }
  if (smtpUrl) await keep(folder, 'inbox/SMTP_URL', () => smtpUrl)
  await writeComponent(folder)
}

/** Runs one step of a key rotation. @throws for a key that cannot be rotated, or when another step is due */
export async function rotateKey(folder: string, service: string, setting: string, step: Step): Promise<void> {
  if (setting === 'SERVICE_KEY') return rotateServiceKey(folder, service as Identity, step)
  const kind = services.find(({ name }) => name === service)?.secrets?.[setting]
  const file = `${service}/${setting}`
  if (kind === 'key-list') {
    const keys = rotateList(await readJson<string[]>(folder, file), step, () => JSON.parse(newSecret(kind))[0])
    return write(folder, file, JSON.stringify(keys))
  }
  if (kind === 'signing-keys') {
    const { keys } = await readJson<{ keys: unknown[] }>(folder, file)
    return write(
      folder,
      file,
      JSON.stringify({ keys: rotateList(keys, step, () => JSON.parse(newSecret(kind)).keys[0]) }),
    )
  }
  throw new Error(`${setting} of ${service} cannot be rotated. Keys that can: ${rotatableKeys().join(', ')}`)
}

const ROTATABLE: readonly SecretKind[] = ['key-list', 'signing-keys']

export function rotatableKeys(): string[] {
  const lists = services.flatMap(({ name, secrets = {} }) =>
    Object.entries(secrets).flatMap(([setting, kind]) => (ROTATABLE.includes(kind) ? [`${name} ${setting}`] : [])),
  )
  return [...identities.map((identity) => `${identity} SERVICE_KEY`), ...lists]
}

async function rotateServiceKey(folder: string, service: Identity, step: Step): Promise<void> {
  if (!identities.includes(service)) throw new Error(`There is no service ${service}`)
  const nextFile = `next/${service}`
  const { keys } = await readJson<PublicKeys>(folder, PUBLIC_KEYS)
  const before = {
    current: await readJson<IdentityKey>(folder, keyFile(service)),
    next: await readJson<IdentityKey>(folder, nextFile).catch(() => undefined),
    everyone: keys,
  }
  const { current, next, everyone } = rotateIdentity(before, step, () => newKey(service), publicHalf)
  await write(folder, keyFile(service), JSON.stringify(current))
  if (next) await write(folder, nextFile, JSON.stringify(next))
  else await rm(join(folder, nextFile), { force: true })
  if (service === 'ops') await write(folder, NATS_SEED, natsSeed(current))
  await writePublicKeys(folder, everyone)
}

type PublicKeys = { keys: IdentityKey[] }

/** NATS users derive from the public keys, so both files change together. */
async function writePublicKeys(folder: string, keys: readonly IdentityKey[]): Promise<void> {
  await write(folder, PUBLIC_KEYS, JSON.stringify({ keys }))
  await write(folder, NATS_USERS, natsUsersConf(keys))
}

/** Adds the NATS user to keys from an older version. */
function withNatsUser(privateKeys: readonly IdentityKey[]) {
  return (key: IdentityKey): IdentityKey => {
    const privateKey = privateKeys.find(({ kid }) => kid === key.kid)
    return key.nats === undefined && privateKey ? publicHalf(privateKey) : key
  }
}

function keyFile(identity: Identity): string {
  return `${identity}/SERVICE_KEY`
}

async function keep(folder: string, file: string, make: () => string): Promise<void> {
  const existing = await readFile(join(folder, file), 'utf8').catch(() => undefined)
  if (existing === undefined) await write(folder, file, make())
}

async function readJson<T>(folder: string, file: string): Promise<T> {
  return JSON.parse(await readFile(join(folder, file), 'utf8'))
}

async function write(folder: string, file: string, text: string): Promise<void> {
  const path = join(folder, file)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeFile(path, text, { mode: 0o600 })
}
