import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import test from 'ava'
import { mongo } from 'mongoose'
import { isOutage } from './is-outage.ts'
import { UnreadableEvent } from './read-event.ts'

test('failures of services and servers are outages', (t) => {
  for (const status of [
    'UNAVAILABLE',
    'DEADLINE_EXCEEDED',
    'INTERNAL',
    'UNAUTHENTICATED',
    'RESOURCE_EXHAUSTED',
  ] as const)
    t.true(isOutage(new StatusError(status, '')), status)
  const { MongoNetworkError, MongoServerError, MongoServerSelectionError } = mongo
  for (const error of [new MongoNetworkError('x'), new MongoServerError({ errmsg: 'disk full', code: 14031 })])
    t.true(isOutage(error))
  t.true(isOutage(new MongoServerSelectionError('x', {} as never)))
})

test('failures of the event itself are not outages', (t) => {
  for (const error of [
    new UnreadableEvent('it has no eventId'),
    new StatusError('INVALID_ARGUMENT', ''),
    new mongo.BSON.BSONError('x'),
    new mongo.MongoInvalidArgumentError('x'),
    new TypeError('x'),
    'text',
    undefined,
  ])
    t.false(isOutage(error))
})
