import { databaseUri } from '@family-inbox/local-stack/mongo-uri'
import { type ServiceName, services } from '@family-inbox/local-stack/services'
import { MongoClient } from 'mongodb'
import { TEST_CLIENT } from '../deploy/src/sharding/read-commands.ts'
import type { SharedStack } from './_shared-stack.ts'

const WRITES = new Set(['insert', 'update', 'delete', 'findAndModify', 'bulkWrite'])

type Owned = Pick<SharedStack, 'addresses' | 'databaseUri' | 'mongoUri' | 'pid'>

/**
 * Connects to the database of a service as that service, or to the whole server as the operator. What a test writes there is found
 * at once, such as a row that it makes due: it tells the service that owns the row to look.
 */
export function openDatabase(stack: Owned, service?: ServiceName): Promise<MongoClient> {
  return openUri(stack, service === undefined ? stack.mongoUri : stack.databaseUri(service))
}

/** The same database as `openDatabase`, but as the operator, who may read and write every other one, too. */
export function openAsOperator(stack: Owned, service: ServiceName): Promise<MongoClient> {
  return openUri(stack, operatorUri(stack, service))
}

export function operatorUri(stack: Owned, service: ServiceName): string {
  return databaseUri(stack.mongoUri, databaseName(stack, service))
}

async function openUri(stack: Owned, uri: string): Promise<MongoClient> {
  const client = new MongoClient(uri, { monitorCommands: true, appName: TEST_CLIENT })
  client.on('commandSucceeded', ({ commandName, databaseName }) => {
    if (WRITES.has(commandName)) tellToLook(stack, databaseName)
  })
  return client.connect()
}

/** The name of a service's database. */
export function databaseName(stack: Owned, service: ServiceName): string {
  return new URL(stack.databaseUri(service)).pathname.slice(1)
}

function tellToLook(stack: Owned, database: string): void {
  const present = services.filter((one) => one.database !== undefined && stack.addresses[one.name] !== undefined)
  const owner = present.find(({ name }) => databaseName(stack, name) === database)
  const pid = owner && stack.pid(owner.name)
  try {
    if (pid !== undefined) process.kill(pid, 'SIGWINCH')
  } catch {
    // It has just ended; the next one looks at its start.
  }
}
