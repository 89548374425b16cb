import { createWriteStream } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { services } from '@family-inbox/local-stack/services'
import { BSON, type ClientSession, type CollectionInfo, type Db, MongoClient, type Timestamp } from 'mongodb'
import { fromTimestamp, type Position } from './position.ts'

export type Dumped = { database: string; collection: string; documents: number }

/** MongoDB's errors for a snapshot older than minSnapshotHistoryWindowInSeconds. */
const TOO_OLD = [239, 246]

/** A dump, and its moment in the oplog of a replica set. */
export type Snapshot = {
  collections: Dumped[]
  /** Slices may follow from `from`, before the collections were listed. The documents are as of `at`. */
  oplog?: { from: Position; at: Position }
}

type Named = Pick<Dumped, 'database' | 'collection'>

/** Dumps the databases as of one moment. @throws when MongoDB's snapshot expires, by default after five minutes */
export async function dump(uri: string, folder: string): Promise<Dumped[]> {
  return (await dumpSnapshot(uri, folder)).collections
}

/** The same, with its moment. @param isWanted which collections; default: all */
export async function dumpSnapshot(
  uri: string,
  folder: string,
  isWanted: (named: Named) => boolean = () => true,
): Promise<Snapshot> {
  await using client = await new MongoClient(uri).connect()
  const from = await majorityPosition(client)
  const found = await findCollections(client)
  await using session = client.startSession({ snapshot: true })
  const collections: Dumped[] = []
  for (const { db, name, options } of found) {
    const named = { database: db.databaseName, collection: name }
    if (!isWanted(named)) continue
    const dir = join(folder, db.databaseName)
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const indexes = await db.collection(name).indexes()
    const metadata = { options, indexes, collectionName: name, type: 'collection' }
    await writeFile(join(dir, `${name}.metadata.json`), BSON.EJSON.stringify(metadata, { relaxed: false }), PRIVATE)
    const documents = await writeDocuments(db, name, session, join(dir, `${name}.bson`))
    collections.push({ ...named, documents })
  }
  const at = momentOf(session)
  return { collections, ...(from && at && { oplog: { from, at } }) }
}

/** Up to where a majority of the members has the oplog. @returns undefined where there is none, as through a mongos */
export async function majorityPosition(client: MongoClient): Promise<Position | undefined> {
  const { lastWrite } = await client.db('admin').command({ hello: 1 })
  return lastWrite?.majorityOpTime && fromTimestamp(lastWrite.majorityOpTime.ts)
}

/** The driver has it, but not in its types. */
function momentOf(session: ClientSession): Position | undefined {
  const { snapshotTime } = session as { snapshotTime?: Timestamp }
  return snapshotTime && fromTimestamp(snapshotTime)
}

const PRIVATE = { mode: 0o600 }

type Found = { db: Db; name: string; options: object }

async function findCollections(client: MongoClient): Promise<Found[]> {
  const found: Found[] = []
  for (const database of databaseNames()) {
    const db = client.db(database)
    const collections = await db.listCollections<CollectionInfo>({ type: 'collection' }).toArray()
    found.push(...collections.map(({ name, options = {} }) => ({ db, name, options })))
  }
  return found
}

async function writeDocuments(db: Db, name: string, session: ClientSession, file: string): Promise<number> {
  let documents = 0
  async function* bytes() {
    for await (const document of db.collection(name).find({}, { session, raw: true })) {
      documents += 1
      yield document as unknown as Buffer
    }
  }
  try {
    await pipeline(bytes, createWriteStream(file, PRIVATE))
  } catch (error) {
    if (!TOO_OLD.includes(Number((error as { code?: unknown }).code))) throw error
    throw new Error('The database is too large to read within five minutes. Use mongodump --oplog instead.')
  }
  return documents
}

export function databaseNames(): string[] {
  return services.flatMap(({ database = [] }) => database)
}
