import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import test from 'ava'
import { createKeyedBatcher } from './batch.ts'

test('calls for the same key share a batch, and no call waits for another key', async (t) => {
  const sent: [string, string[]][] = []
  const enter = createKeyedBatcher(async (key: string, items: string[]) => {
    sent.push([key, items])
    await delay(5)
    return items.map((item) => `${key}${item}`)
  })
  const early = enter('a', '1')
  await turn()
  const calls = [early, enter('a', '2'), enter('b', '1'), enter('a', '3')]
  t.deepEqual(await Promise.all(calls), ['a1', 'a2', 'b1', 'a3'])
  t.deepEqual(sent, [
    ['a', ['1']],
    ['b', ['1']],
    ['a', ['2', '3']],
  ])
})
