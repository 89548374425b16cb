import { type ServiceName, services } from '@family-inbox/local-stack/services'
import { MongoClient } from 'mongodb'
import type { SharedStack } from './_shared-stack.ts'

const WRITES = new Set(['insert', 'update', 'delete', 'findAndModify', 'bulkWrite'])

type Owned = Pick<SharedStack, 'addresses' | 'databaseUri' | 'mongoUri' | 'pid'>

/**
 * Connects to the database of a service, or to the whole server. What a test writes there is found at once, such as a row that it
 * makes due: it tells the service that owns the row to look.
 */
export async function openDatabase(stack: Owned, service?: ServiceName): Promise<MongoClient> {
  const uri = service === undefined ? stack.mongoUri : stack.databaseUri(service)
  const client = new MongoClient(uri, { monitorCommands: true })
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
