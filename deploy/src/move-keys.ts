import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { identities } from '@family-inbox/local-stack/secrets'
import { services } from '@family-inbox/local-stack/services'
import { givenSetting, readEnvironment } from '@family-inbox/service-kit/config/config'

/** A secret that both kinds of installation have, and how each keeps it. */
type Moved = {
  name: string
  /** In `secrets` of a data folder, as JSON. */
  inSecrets: string
  /** In the folder of `npm run keys`, as the service reads it. */
  inKeys: string
  /** Whether it is text, which `secrets` has in quotes. */
  isText: boolean
}

const MOVED: readonly Moved[] = [
  ...identities.map((name) => ({
    name: `SERVICE_KEY of ${name}`,
    inSecrets: `${name}.jwk.json`,
    inKeys: `${name}/SERVICE_KEY`,
    isText: false,
  })),
  ...services.flatMap(({ name: service, secrets = {} }) =>
    Object.keys(secrets).map((name) => ({
      name,
      inSecrets: `${name}.json`,
      inKeys: `${service}/${name}`,
      isText: true,
    })),
  ),
]

/** Writes a server's secrets as a cluster's keys; what it had as a setting is read from the setting here. @throws naming those that are missing */
export async function secretsToKeys(secrets: string, keys: string): Promise<void> {
  const env = readEnvironment()
  const read = async ({ name, inSecrets, isText }: Moved) => {
    const given = isText ? givenSetting(name, env) : undefined
    const kept = given === undefined ? await readText(join(secrets, inSecrets)) : undefined
    return given ?? (kept !== undefined && isText ? JSON.parse(kept) : kept)
  }
  const missing = (names: string) =>
    `The backup lacks ${names}: set each as the server did, or start this version there once and make another backup.`
  for (const [{ inKeys }, value] of await readAll(read, missing)) await write(join(keys, inKeys), value)
}

/** Writes a cluster's keys as a server's secrets. @throws naming those that are missing */
export async function keysToSecrets(keys: string, secrets: string): Promise<void> {
  const read = ({ inKeys }: Moved) => readText(join(keys, inKeys))
  const missing = (names: string) => `${keys} lacks ${names}: take the folder that the cluster's secrets were made of.`
  for (const [{ inSecrets, isText }, value] of await readAll(read, missing))
    await write(join(secrets, inSecrets), isText ? JSON.stringify(value) : value)
}

/** All of them, before any is written. */
async function readAll(
  read: (moved: Moved) => Promise<string | undefined>,
  missing: (names: string) => string,
): Promise<[Moved, string][]> {
  const all = await Promise.all(MOVED.map(async (moved) => ({ moved, value: await read(moved) })))
  const lacking = all.filter(({ value }) => value === undefined).map(({ moved }) => moved.name)
  if (lacking.length > 0) throw new Error(missing(lacking.join(', ')))
  return all.map(({ moved, value }) => [moved, value ?? ''])
}

/** Without the line end that an editor adds, as services read it. */
async function readText(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').then(
    (text) => text.trimEnd() || undefined,
    () => undefined,
  )
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(file, text, { mode: 0o600 })
}
