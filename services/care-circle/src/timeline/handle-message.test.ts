import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import test from 'ava'
import { mongo } from 'mongoose'
import { isOutage, oneByOneOnFailure } from './handle-message.ts'
import { UnreadableEvent } from './read-event.ts'

const outage = new Error('away')
const poison = new Error('poison')

function sender(isAway = false) {
  const batches: string[][] = []
  const send = async (items: string[]) => {
    batches.push(items)
    if (isAway) throw outage
    if (items.includes('bad')) throw poison
    return items.map((item) => item.toUpperCase())
  }
  return { batches, send }
}

test('valid items are sent together', async (t) => {
  const { batches, send } = sender()
  t.deepEqual(await oneByOneOnFailure(['a', 'b'], send, () => false), [{ result: 'A' }, { result: 'B' }])
  t.deepEqual(batches, [['a', 'b']])
})

test('a bad item fails alone', async (t) => {
  const { send } = sender()
  const outcomes = await oneByOneOnFailure(['a', 'bad', 'b'], send, (error) => error === outage)
  t.deepEqual(outcomes, [{ result: 'A' }, { error: poison }, { result: 'B' }])
})

test('a shared error is not retried item by item', async (t) => {
  const { batches, send } = sender(true)
  const outcomes = await oneByOneOnFailure(['a', 'b'], send, (error) => error === outage)
  t.deepEqual(outcomes, [{ error: outage }, { error: outage }])
  t.is(batches.length, 1)
})

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
