import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { ConfigError } from '@family-inbox/service-kit/config/config'
import { createSecretBox, type SecretBox } from '@family-inbox/service-kit/config/secret-box'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { upsertOnce } from '@family-inbox/service-kit/mongo/rows'
import {
  emptyValue,
  keyIdOf,
  newKeyId,
  openValue,
  sealedPlaces,
  sealPrefixes,
  sealValue,
} from '@family-inbox/service-kit/mongo/sealed-values'
import { HOUR_MS } from '@family-inbox/service-kit/time/days'
import { LRUCache } from 'lru-cache'
import type { Connection } from 'mongoose'
import { rowSchema } from './row-schema.ts'

/**
 * The key of a family, which seals what is written in its mail and by its members. It is destroyed with the family. Backups hold these
 * rows apart, and only the latest of them, so that no old backup shows what was deleted.
 */
export type WorkspaceKey = {
  /** That of the workspace. */
  _id: string
  /** Named by each value that it seals. */
  keyId: string
  /** Encrypted with a key that is not in the database. */
  sealed: string
  createdAt: Date
  /** When everything from before it was sealed, too. */
  convertedAt?: Date
}

const schema = rowSchema<WorkspaceKey>(
  'workspace_keys',
  { _id: String, keyId: String, sealed: String, createdAt: Date, convertedAt: Date },
  { workspaceId: '_id' },
  { shardKey: { _id: 1 } },
)
schema.index({ keyId: 1 })
schema.index({ convertedAt: 1 })

/** A destroyed key is out of every memory after this. */
const REMEMBERED_MS = 600_000
const MAX_REMEMBERED = 20_000
/** A replica that does not know the keys yet could not read what another seals. */
const ROLL_MS = HOUR_MS
/** More than their clocks differ. */
const SETTLED_MS = 600_000

export type Sealer = {
  seal<T>(value: T): T
  sealPrefixes(prefixes: string[]): string[]
  /** Each form in which an index may hold a prefix. */
  formsOf(prefixes: string[]): string[][]
}

const UNSEALED: Sealer = {
  seal: (value) => value,
  sealPrefixes: (prefixes) => prefixes,
  formsOf: (prefixes) => prefixes.map((prefix) => [prefix]),
}

export type WorkspaceKeys = {
  /** Makes the key of a workspace that has none. Without a key to encrypt it, nothing is sealed. */
  sealerOf(workspaceId: string): Promise<Sealer>
  /** Opens the sealed values of rows in place, as MongoDB returned them. What a destroyed key sealed is empty. */
  open<Rows>(rows: Rows): Promise<Rows>
  /**
   * Encrypts each key with the first of the keys, so that older ones can be removed, and decides when sealing begins: in a database
   * with mail, when all replicas have had time to learn the keys. @throws ConfigError when a key does not open
   */
  start(isNew: () => Promise<boolean>): Promise<void>
  /** Whether nothing else is stored any more, by no replica. */
  isSettled(): boolean
  rows: ReturnType<typeof workspaceKeyModel>
}

function workspaceKeyModel(connection: Connection) {
  return connection.model('WorkspaceKey', schema)
}

type Known = { keyId: string; key: KeyObject; sealer: Sealer }

/** @param keyEncryptionKeys 32 bytes each: the first one encrypts, all decrypt; none if nothing is to be sealed */
export function openWorkspaceKeys(connection: Connection, keyEncryptionKeys: readonly Buffer[]): WorkspaceKeys {
  const rows = workspaceKeyModel(connection)
  const box = createSecretBox(keyEncryptionKeys)
  const options = { max: MAX_REMEMBERED, ttl: REMEMBERED_MS }
  const byWorkspace = new LRUCache<string, Known>(options)
  const byKey = new LRUCache<string, Known>(options)

  let beginsAt = new Date(8.64e15)
  const isSealing = () => beginsAt.getTime() <= Date.now()

  function remember(row: WorkspaceKey): Known {
    const known = toKnown(row, box)
    byWorkspace.set(row._id, known)
    byKey.set(row.keyId, known)
    return known
  }

  async function keysOf(ids: ReadonlySet<string>): Promise<Map<string, KeyObject>> {
    const known = new Map([...ids].flatMap((id) => byKey.get(id) ?? []).map(({ keyId, key }) => [keyId, key]))
    const unknown = [...ids].filter((id) => !known.has(id))
    if (unknown.length === 0) return known
    for (const row of await rows.find({ keyId: { $in: unknown } }).lean()) known.set(row.keyId, remember(row).key)
    return known
  }

  return {
    rows,
    async sealerOf(workspaceId) {
      if (!isSealing()) return UNSEALED
      const known = byWorkspace.get(workspaceId) ?? remember(await findOrMake(rows, workspaceId, box))
      return known.sealer
    },
    async open(found) {
      const places = sealedPlaces(found)
      if (places.length === 0) return found
      const keys = await keysOf(new Set(places.map(({ sealed }) => keyIdOf(sealed))))
      for (const { holder, name, sealed } of places) {
        const key = keys.get(keyIdOf(sealed))
        holder[name] = key === undefined ? emptyValue(sealed) : openValue(key, sealed)
      }
      return found
    },
    isSettled: () => beginsAt.getTime() + SETTLED_MS <= Date.now(),
    async start(isNew) {
      for await (const row of rows.find().lean().cursor()) {
        const { _id, sealed } = row
        if (box.isCurrent(sealed)) continue
        await rows.updateOne({ _id, sealed }, { $set: { sealed: box.seal(opened(row, box), _id) } })
      }
      if (keyEncryptionKeys.length > 0) beginsAt = await decideBegin(connection, isNew)
    },
  }
}

/** Beside the version of the schema. */
export type Sealing = {
  _id: 'sealing'
  beginsAt: Date
  /** Set when every family from before has a key. */
  isListed?: true
}

async function decideBegin(connection: Connection, isNew: () => Promise<boolean>): Promise<Date> {
  const begin = { beginsAt: new Date(Date.now() + ((await isNew()) ? 0 : ROLL_MS)) }
  const decisions = connection.collection<Sealing>('schema')
  await upsertOnce(() => decisions.updateOne({ _id: 'sealing' }, { $setOnInsert: begin }, { upsert: true }))
  return (await decisions.findOne({ _id: 'sealing' }))?.beginsAt ?? begin.beginsAt
}

/** As durable as a majority, or what it seals could be lost with it. */
async function findOrMake(
  rows: ReturnType<typeof workspaceKeyModel>,
  workspaceId: string,
  box: SecretBox,
): Promise<WorkspaceKey> {
  for (;;) {
    const found = await rows.findOne({ _id: workspaceId }).readConcern('majority').lean()
    if (found !== null) return found
    const sealed = box.seal(randomBytes(32).toString('base64url'), workspaceId)
    const made: WorkspaceKey = { _id: workspaceId, keyId: newKeyId(), sealed, createdAt: new Date() }
    try {
      await rows.insertOne(made)
      return made
    } catch (error) {
      if (!isDuplicateKey(error)) throw error
    }
  }
}

function toKnown(row: WorkspaceKey, box: SecretBox): Known {
  const key = createSecretKey(opened(row, box), 'base64url')
  return { keyId: row.keyId, key, sealer: createSealer(row, key) }
}

export function createSealer({ keyId, convertedAt }: WorkspaceKey, key: KeyObject): Sealer {
  const lookUpKey = createSecretKey(createHmac('sha256', key).update('prefixes').digest())
  const seal = (prefixes: string[]) => sealPrefixes(lookUpKey, prefixes)
  return {
    seal: (value) => sealValue({ id: keyId, key }, value),
    sealPrefixes: seal,
    formsOf: (prefixes) =>
      seal(prefixes).map((sealed, index) => (convertedAt === undefined ? [sealed, prefixes[index] ?? ''] : [sealed])),
  }
}

function opened({ _id, sealed }: WorkspaceKey, box: SecretBox): string {
  try {
    return box.open(sealed, _id)
  } catch {
    throw new ConfigError('KEY_ENCRYPTION_KEYS lacks the key that encrypts the keys of families')
  }
}
