import type { Span } from '@opentelemetry/api'
import type { Connection } from 'mongoose'
import { endSpan, startSpan } from './spans.ts'

type Client = ReturnType<Connection['getClient']>
type Started = { requestId: number; commandName: string; databaseName: string; command: Record<string, unknown> }

/** Makes each MongoDB command a span with its name, database and collection, no values. @param client with `monitorCommands` */
export function traceCommands(client: Client): void {
  const underWay = new Map<number, Span>()
  const end = (requestId: number, failure?: string) => {
    const span = underWay.get(requestId)
    if (span === undefined) return
    underWay.delete(requestId)
    endSpan(span, failure)
  }
  client.on('commandStarted', (event: Started) => {
    const span = startSpan(stepOf(event))
    if (span !== undefined) underWay.set(event.requestId, span)
  })
  client.on('commandSucceeded', ({ requestId }) => end(requestId))
  client.on('commandFailed', ({ requestId, failure }) => end(requestId, failure.name))
}

function stepOf({ commandName, databaseName, command }: Started) {
  const named = commandName === 'getMore' ? command.collection : command[commandName]
  const collection = typeof named === 'string' ? named : undefined
  return {
    name: collection === undefined ? commandName : `${commandName} ${collection}`,
    kind: 'client' as const,
    attributes: {
      'db.system.name': 'mongodb',
      'db.namespace': databaseName,
      'db.operation.name': commandName,
      ...(collection === undefined ? {} : { 'db.collection.name': collection }),
    },
  }
}
