import { generateKeyPairSync, type JsonWebKey, type KeyObject, randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { natsUser } from '@family-inbox/service-kit/nats/nats-identity'

export const identities = ['auth', 'gateway', 'care-circle', 'inbox', 'sandbox', 'pipe', 'site', 'ops'] as const

export type Identity = (typeof identities)[number]

/** An Ed25519 JWK (RFC 8037) with its service. Only the private half has `d`; only the public half has `nats`, its NATS user. */
export type IdentityKey = JsonWebKey & { kid: string; alg: 'EdDSA'; service: Identity; nats?: string }

export type IdentityKeys = {
  readonly privateKeys: Readonly<Record<Identity, IdentityKey>>
  readonly publicKeys: { readonly keys: readonly IdentityKey[] }
}

/** The key pairs of all identities, in `<dataDir>/secrets`, created on first use. */
export async function identityKeys(dataDir: string): Promise<IdentityKeys> {
  const entries = await Promise.all(
    identities.map(
      async (service) =>
        [service, await readOrCreate(identityKeyFile(dataDir, service), () => newKey(service))] as const,
    ),
  )
  const keys = entries.map(([, key]) => publicHalf(key))
  return { privateKeys: Object.fromEntries(entries) as Record<Identity, IdentityKey>, publicKeys: { keys } }
}

export function identityKeyFile(dataDir: string, service: Identity): string {
  return join(dataDir, 'secrets', `${service}.jwk.json`)
}

/** 32 random bytes as base64url, a JSON list of such, a private JWK Set, or an RSA key as PEM. Lists allow replacing a key while old signatures count. */
export type SecretKind = keyof typeof makers

const makers = {
  key: () => randomBytes(32).toString('base64url'),
  'key-list': () => JSON.stringify([randomBytes(32).toString('base64url')]),
  'signing-keys': () => JSON.stringify({ keys: [newSigningKey()] }),
  // 2048 bits: longer ones do not fit into the DNS of some providers.
  'rsa-key': () => newRsaKey().export({ type: 'pkcs8', format: 'pem' }).toString(),
}

/** The key file of mongod. It may hold no other characters than base64 has (RFC 4648), in quotes or without. */
export async function mongodKey(dataDir: string): Promise<{ file: string; key: string }> {
  const file = join(dataDir, 'secrets', 'mongod-key.json')
  return { file, key: await readOrCreate(file, () => randomBytes(32).toString('hex')) }
}

export function localSecret(dataDir: string, name: string, kind: SecretKind): Promise<string> {
  return readOrCreate(join(dataDir, 'secrets', `${name}.json`), makers[kind])
}

export function newSecret(kind: SecretKind): string {
  return makers[kind]()
}

function newSigningKey(): JsonWebKey {
  const jwk = newRsaKey().export({ format: 'jwk' })
  return { ...jwk, alg: 'RS256', use: 'sig', kid: randomBytes(3).toString('hex') }
}

function newRsaKey(): KeyObject {
  return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
}

export function newKey(service: Identity): IdentityKey {
  const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  return { ...jwk, alg: 'EdDSA', use: 'sig', kid: `${service}-${randomBytes(3).toString('hex')}`, service }
}

export function publicHalf(privateKey: IdentityKey): IdentityKey {
  const { d: _private, ...key } = privateKey
  return { ...key, nats: natsUser(privateKey) }
}

async function readOrCreate<T>(path: string, create: () => T): Promise<T> {
  const kept = await readFile(path, 'utf8').catch(() => undefined)
  if (kept) return JSON.parse(kept)
  const made = create()
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
  // Renamed into place: a crash must not leave half a secret behind.
  await writeFile(`${path}.new`, JSON.stringify(made), { mode: 0o600 })
  await rename(`${path}.new`, path)
  return made
}
