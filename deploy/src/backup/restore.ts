import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BSON, type Collection, type Db, type IndexDescriptionInfo, MongoClient } from 'mongodb'
import { type Dumped, databaseNames } from './dump.ts'
import { readDocuments } from './read-documents.ts'

const MOST_BYTES = 8 * 1024 * 1024
const MOST_DOCUMENTS = 1000
const DURABLE = { writeConcern: { w: 'majority', journal: true } } as const

/**
 * Restores into empty databases. @param prefix of their names there
 * @throws before writing, when a database is not empty or the folder has no backup
 */
export async function restore(uri: string, folder: string, prefix = ''): Promise<Dumped[]> {
  await using client = await new MongoClient(uri, DURABLE).connect()
  const files = await findFiles(folder)
  if (files.length === 0) throw new Error(`No backup of ${databaseNames().join(', ')} found in ${folder}.`)
  for (const database of databaseNames()) await requireEmpty(client.db(prefix + database))
  const restored: Dumped[] = []
  for (const { database, collection, file } of files) {
    const documents = await restoreCollection(client.db(prefix + database), collection, file)
    restored.push({ database, collection, documents })
  }
  return restored
}

/** Lets a cookie of the place that the data comes from open nothing at the new one: a browser or an old disk may still have it. */
export async function endSessions(uri: string): Promise<void> {
  await using client = await new MongoClient(uri, DURABLE).connect()
  const sessions = client.db('auth').collection('sessions')
  await sessions.updateMany({ revokedAt: null }, { $set: { revokedAt: new Date() } })
}

type File = { database: string; collection: string; file: string }

async function findFiles(folder: string): Promise<File[]> {
  const found: File[] = []
  for (const database of databaseNames()) {
    const names = await readdir(join(folder, database)).catch(() => [])
    for (const name of names.filter((each) => each.endsWith('.bson')).sort()) {
      found.push({ database, collection: name.slice(0, -'.bson'.length), file: join(folder, database, name) })
    }
  }
  return found
}

async function requireEmpty(db: Db): Promise<void> {
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
    const row = await db.collection(name).findOne({}, { projection: { _id: 1 } })
    if (row !== null)
      throw new Error(`The database ${db.databaseName} is not empty. Restore into an empty replica set.`)
  }
}

/** Documents first: building an index once is faster than updating it per document. */
async function restoreCollection(db: Db, name: string, file: string): Promise<number> {
  const collection = db.collection(name)
  const documents = await insertAll(collection, file)
  const metadata = BSON.EJSON.parse(await readFile(file.replace(/\.bson$/, '.metadata.json'), 'utf8'))
  const indexes = (metadata.indexes as IndexDescriptionInfo[]).filter((index) => index.name !== '_id_')
  if (documents === 0 && !(await exists(db, name))) await db.createCollection(name, metadata.options)
  if (indexes.length > 0) await db.command({ createIndexes: name, indexes: indexes.map(withoutNamespace) })
  return documents
}

/** Older versions of mongodump add `ns`. */
function withoutNamespace({ ns: _namespace, ...index }: IndexDescriptionInfo): object {
  return index
}

async function exists(db: Db, name: string): Promise<boolean> {
  return (await db.listCollections({ name }, { nameOnly: true }).toArray()).length > 0
}

async function insertAll(collection: Collection, file: string): Promise<number> {
  let count = 0
  let batch: BSON.Document[] = []
  let bytes = 0
  const insert = async () => {
    if (batch.length > 0) await collection.insertMany(batch)
    count += batch.length
    batch = []
    bytes = 0
  }
  for await (const document of readDocuments(file)) {
    batch.push(BSON.deserialize(document, AS_IT_IS))
    bytes += document.length
    if (bytes > MOST_BYTES || batch.length === MOST_DOCUMENTS) await insert()
  }
  await insert()
  return count
}

/** Numbers keep their BSON types. */
const AS_IT_IS = { promoteValues: false, bsonRegExp: true } as const
