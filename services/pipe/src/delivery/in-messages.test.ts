import test from 'ava'
import { inMessages } from './publish-events.ts'

const KB = 1024
const event = (characters = 100) => ({ envelope: { payload: 'x'.repeat(characters) } }) as never
const lengths = (events: never[]) => inMessages(events).map(({ length }) => length)

test('events that come together go together, in order', (t) => {
  const events = [event(1), event(2), event(3)]
  t.deepEqual(inMessages(events), [events])
  t.deepEqual(inMessages([]), [])
})

test('a message holds no more events than are easily read again', (t) => {
  t.deepEqual(lengths(Array.from({ length: 70 }, () => event())), [32, 32, 6])
})

test('a message stays under what NATS takes, and the largest event goes alone', (t) => {
  t.deepEqual(lengths([event(100 * KB), event(28 * KB), event(1)]), [2, 1])
  t.deepEqual(lengths([event(), event(256 * KB), event()]), [1, 1, 1])
})
