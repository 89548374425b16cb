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

test('items that are fine go together', async (t) => {
  const { batches, send } = sender()
  t.deepEqual(await oneByOneOnFailure(['a', 'b'], send, () => false), [{ result: 'A' }, { result: 'B' }])
  t.deepEqual(batches, [['a', 'b']])
})

test('one that is bad fails alone, and the others get through', async (t) => {
  const { send } = sender()
  const outcomes = await oneByOneOnFailure(['a', 'bad', 'b'], send, (error) => error === outage)
  t.deepEqual(outcomes, [{ result: 'A' }, { error: poison }, { result: 'B' }])
})

test('what would meet all alike is not asked again for each', async (t) => {
  const { batches, send } = sender(true)
  const outcomes = await oneByOneOnFailure(['a', 'b'], send, (error) => error === outage)
  t.deepEqual(outcomes, [{ error: outage }, { error: outage }])
  t.is(batches.length, 1)
})
