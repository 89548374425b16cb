import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { createFairGate } from './fair-gate.ts'

test('all tasks run in order within the slots, and failures free their slot', async (t) => {
  const gate = createFairGate({ slots: 2, slotsPerOwner: 2 })
  const started: number[] = []
  let running = 0
  const work = (id: number) => async () => {
    started.push(id)
    running += 1
    t.true(running <= 2)
    await sleep(2)
    running -= 1
    if (id % 3 === 0) throw new Error(`work ${id}`)
    return id
  }
  const results = await Promise.allSettled(Array.from({ length: 12 }, (_, id) => gate('a', work(id))))
  t.deepEqual(
    started,
    [...started].sort((a, b) => a - b),
  )
  t.deepEqual(
    results.map(({ status }) => status === 'fulfilled'),
    started.map((id) => id % 3 !== 0),
  )
})

test('owners take turns, however much work one has', async (t) => {
  const gate = createFairGate({ slots: 1, slotsPerOwner: 1 })
  const order: string[] = []
  const work = (owner: string) => gate(owner, async () => void order.push(owner))
  await Promise.all(['a', 'a', 'a', 'a', 'b', 'c', 'b'].map(work))
  t.deepEqual(order, ['a', 'a', 'b', 'c', 'a', 'b', 'a'])
})

test('a slot one owner may not use goes to the next immediately', async (t) => {
  const gate = createFairGate({ slots: 3, slotsPerOwner: 2 })
  const blocked = Promise.withResolvers<void>()
  const stuck = Array.from({ length: 10 }, () => gate('a', () => blocked.promise))
  t.is(await gate('b', async () => 'done'), 'done')
  blocked.resolve()
  await Promise.all(stuck)
})
