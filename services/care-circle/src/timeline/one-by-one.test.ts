import test from 'ava'
import { oneByOneOnFailure } from './handle-message.ts'

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
