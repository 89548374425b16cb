import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { createGate } from './concurrency-gate.ts'

test('no more run at a time than there are slots, all run, in order, and failures free their slot', async (t) => {
  const gate = createGate(2)
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
  const results = await Promise.allSettled(Array.from({ length: 12 }, (_, id) => gate(work(id))))
  t.deepEqual(
    started,
    [...started].sort((a, b) => a - b),
  )
  t.deepEqual(
    results.map(({ status }) => status === 'fulfilled'),
    started.map((id) => id % 3 !== 0),
  )
})
