import test from 'ava'
import { inMessages } from './in-messages.ts'

const event = (partnerId: string, characters = 100) =>
  ({ link: { partnerId }, envelope: { payload: 'x'.repeat(characters) } }) as Parameters<typeof inMessages>[0][number]

const lengths = (events: ReturnType<typeof event>[]) => inMessages(events).map(({ length }) => length)

test('events of one partner go together, in order; those of another by themselves', (t) => {
  const events = [event('a'), event('b'), event('a'), event('b'), event('b')]
  t.deepEqual(inMessages(events), [
    [events[0], events[2]],
    [events[1], events[3], events[4]],
  ] as (typeof events)[])
})

test('a message holds no more events than are easily read again', (t) => {
  t.deepEqual(lengths(Array.from({ length: 70 }, () => event('a'))), [32, 32, 6])
})

test('a message stays under what NATS takes, and the largest event goes alone', (t) => {
  const KB = 1024
  t.deepEqual(lengths([event('a', 100 * KB), event('a', 28 * KB), event('a', 1)]), [2, 1])
  t.deepEqual(lengths([event('a'), event('a', 256 * KB), event('a')]), [1, 1, 1])
  t.deepEqual(inMessages([]), [])
})
