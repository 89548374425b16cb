import test from 'ava'
import { splitIntoMessages } from './publish-events.ts'

const KB = 1024
const event = (characters = 100) => ({ envelope: { payload: 'x'.repeat(characters) } }) as never
const lengths = (events: never[]) => splitIntoMessages(events).map(({ length }) => length)

test('small events share a message, in order', (t) => {
  const events = [event(1), event(2), event(3)]
  t.deepEqual(splitIntoMessages(events), [events])
  t.deepEqual(splitIntoMessages([]), [])
})

test('a message holds at most 32 events', (t) => {
  t.deepEqual(lengths(Array.from({ length: 70 }, () => event())), [32, 32, 6])
})

test('a message stays under NATS’s limit, and the largest event goes alone', (t) => {
  t.deepEqual(lengths([event(100 * KB), event(28 * KB), event(1)]), [2, 1])
  t.deepEqual(lengths([event(), event(256 * KB), event()]), [1, 1, 1])
})
