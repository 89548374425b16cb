import { readEnvironment } from '@family-inbox/service-kit/config/config'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import type { Collection, MongoClient } from 'mongodb'
import type { Env } from './config.ts'
import type { LaunchOptions } from './plan.ts'

/** Names the mongod that stacks share, each with databases of its own; `npm test` sets it. */
export const SHARED_MONGOD = 'SHARED_TEST_MONGOD'

export type Borrowed = {
  env: Env
  plan: Pick<LaunchOptions, 'databasePrefix' | 'hasUsersElsewhere'>
  /** Deletes every document. Indexes and users stay for the next stack, which gives the users other passwords. */
  giveBack(): Promise<void>
}

/** Takes databases of the shared mongod for one stack of a test. @returns undefined where no mongod is shared */
export async function borrowDatabases(): Promise<Borrowed | undefined> {
  const uri = readEnvironment()[SHARED_MONGOD]
  if (uri === undefined) return undefined
  // Imported here: `npm start` never needs it.
  const mongodb = await import('mongodb')
  const connect = () => mongodb.MongoClient.connect(uri)
  await using client = await connect()
  const prefix = (await unusedIn(client).findOneAndDelete({}))?._id ?? `${randomText(8)}_`
  return {
    env: { MONGODB_URI: uri },
    plan: { databasePrefix: prefix, hasUsersElsewhere: true },
    async giveBack() {
      await using client = await connect()
      const { databases } = await client.db().admin().listDatabases({ nameOnly: true })
      const ours = databases.filter(({ name }) => name.startsWith(prefix)).map(({ name }) => client.db(name))
      const collections = (await Promise.all(ours.map((database) => database.collections()))).flat()
      await Promise.all(collections.map((collection) => collection.deleteMany({})))
      await unusedIn(client).insertOne({ _id: prefix })
    },
  }
}

/** The prefixes of databases that nobody uses: to empty them costs less than to create others. */
function unusedIn(client: MongoClient): Collection<{ _id: string }> {
  return client.db('test_stacks').collection('unused')
}
