import { createWriteStream } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { services } from '@family-inbox/local-stack/services'
import { BSON, type ClientSession, type CollectionInfo, type Db, MongoClient } from 'mongodb'

export type Dumped = { database: string; collection: string; documents: number }

/** MongoDB's errors for a snapshot older than minSnapshotHistoryWindowInSeconds. */
const TOO_OLD = [239, 246]

/** Dumps the databases as of one moment. @throws when MongoDB's snapshot expires, by default after five minutes */
export async function dump(uri: string, folder: string): Promise<Dumped[]> {
  await using client = await new MongoClient(uri).connect()
  const collections = await findCollections(client)
  await using session = client.startSession({ snapshot: true })
  const dumped: Dumped[] = []
  for (const { db, name, options } of collections) {
    const dir = join(folder, db.databaseName)
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const indexes = await db.collection(name).indexes()
    const metadata = { options, indexes, collectionName: name, type: 'collection' }
    await writeFile(join(dir, `${name}.metadata.json`), BSON.EJSON.stringify(metadata, { relaxed: false }), PRIVATE)
    const documents = await writeDocuments(db, name, session, join(dir, `${name}.bson`))
    dumped.push({ database: db.databaseName, collection: name, documents })
  }
  return dumped
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
