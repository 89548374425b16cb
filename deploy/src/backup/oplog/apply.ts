import type { BSON, Db, MongoClient } from 'mongodb'
import type { Operation } from './entries.ts'

const NOT_FOUND = { namespace: 26, index: 27 } as const

/** Applies changes of documents, in this order, in the words of the oplog, which only the server knows. @throws when one does not fit */
export async function applyChanges(client: MongoClient, changes: readonly Operation[]): Promise<void> {
  // A change of a document that is missing is an error, and not a new document that has nothing but the change.
  const applyOps = changes.map(({ op, ns, o, o2, b }) => ({ op, ns, o, ...(o2 && { o2 }), ...(b && { b }) }))
  const { results } = await client.db('admin').command({ applyOps, alwaysUpsert: false, writeConcern: MAJORITY })
  if (results.some((isApplied: boolean) => !isApplied)) throw new Error('A change in the oplog does not fit the data.')
}

const MAJORITY = { w: 'majority', j: true } as const

type Run = (db: Db, o: BSON.Document) => Promise<unknown>

/** Commands in the oplog. Those that name collections by their identity elsewhere are said by name. */
const COMMANDS: Readonly<Record<string, Run>> = {
  create: async (db, { create, idIndex: _given, ...options }) => {
    const [there] = await db.listCollections({ name: create }, { nameOnly: true }).toArray()
    if (there === undefined) await db.createCollection(create, options)
  },
  createIndexes: (db, { createIndexes, ...index }) => db.command({ createIndexes, indexes: [index] }),
  // An index that was still being built then begins when it is committed.
  startIndexBuild: async () => {},
  abortIndexBuild: async () => {},
  commitIndexBuild: (db, { commitIndexBuild, indexes }) => db.command({ createIndexes: commitIndexBuild, indexes }),
  dropIndexes: (db, { dropIndexes, index }) => unlessMissing(db.command({ dropIndexes, index })),
  deleteIndexes: (db, { deleteIndexes, index }) => unlessMissing(db.command({ dropIndexes: deleteIndexes, index })),
  drop: (db, { drop }) => unlessMissing(db.command({ drop })),
  dropDatabase: (db) => db.dropDatabase(),
  renameCollection: (db, { renameCollection, to, dropTarget }) =>
    db.client
      .db('admin')
      .command({ renameCollection, to, dropTarget: dropTarget !== undefined && dropTarget !== false }),
  collMod: (db, o) => db.command(o),
}

/** @throws for a command that is not known here, rather than leave it out */
export async function applyCommand(client: MongoClient, { ns, o }: Operation): Promise<void> {
  const name = Object.keys(o)[0] ?? ''
  const run = COMMANDS[name]
  if (run === undefined) throw new Error(`The oplog has a command that cannot be replayed: ${name} in ${ns}.`)
  await run(client.db(ns.split('.', 1)[0]), o)
}

async function unlessMissing(done: Promise<unknown>): Promise<void> {
  await done.catch((error) => {
    if (!Object.values(NOT_FOUND).includes(error.code)) throw error
  })
}
