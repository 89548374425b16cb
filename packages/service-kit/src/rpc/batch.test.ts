import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import test from 'ava'
import { createBatcher } from './batch.ts'

test('calls of one turn share a batch, and calls during a batch the next', async (t) => {
  const batches: number[][] = []
  const double = createBatcher(async (items: number[]) => {
    batches.push(items)
    await delay(5)
    return items.map((item) => item * 2)
  })
  const early = [1, 2].map(double)
  await turn()
  t.deepEqual(await Promise.all([...early, ...[3, 4, 5].map(double)]), [2, 4, 6, 8, 10])
  t.deepEqual(batches, [
    [1, 2],
    [3, 4, 5],
  ])
})

test('no call joins a batch already sent', async (t) => {
  let value = 'before'
  const read = createBatcher(async (items: null[]) => {
    const seen = value
    await delay(5)
    return items.map(() => seen)
  })
  const early = read(null)
  await turn()
  value = 'after'
  t.deepEqual(await Promise.all([early, read(null)]), ['before', 'after'])
})

test('a failed batch fails only its own callers', async (t) => {
  const send = createBatcher(async (items: number[]) => {
    await delay(1)
    if (items.includes(1)) throw new Error('first')
    return items
  })
  const failing = send(1)
  await turn()
  const [first, second] = await Promise.allSettled([failing, send(2)])
  t.is(first.status, 'rejected')
  t.deepEqual(second, { status: 'fulfilled', value: 2 })
})

test('a wrong number of results is an error', async (t) => {
  const send = createBatcher(async () => [1, 2])
  await t.throwsAsync(send(1), { message: /different number of results/ })
})

test('a slow batch does not delay other calls for long', async (t) => {
  const untilTheOther = Promise.withResolvers<void>()
  const send = createBatcher(async (items: number[]) => {
    if (items.includes(1)) await untilTheOther.promise
    return items
  })
  const slow = send(1)
  await turn()
  t.is(await send(2), 2)
  untilTheOther.resolve()
  t.is(await slow, 1)
})

test('a batch holds at most maxItems', async (t) => {
  const sizes: number[] = []
  const send = createBatcher(
    async (items: number[]) => {
      sizes.push(items.length)
      await delay(1)
      return items
    },
    { maxItems: 3 },
  )
  await Promise.all(Array.from({ length: 8 }, (_, index) => send(index)))
  t.deepEqual(sizes, [3, 3, 2])
})

test('in a gathering batcher, whom nobody went before waits for nobody', async (t) => {
  const send = createBatcher(async (items: number[]) => items, { gatherMs: 3_600_000 })
  t.deepEqual(await Promise.all([1, 2, 3].map(send)), [1, 2, 3])
})

test('a gathering batcher includes calls of the same turn, and those soon after a batch', async (t) => {
  const batches: number[][] = []
  const send = createBatcher(
    async (items: number[]) => {
      batches.push(items)
      return items
    },
    { gatherMs: 500 },
  )
  t.deepEqual(await Promise.all([1, 2, 3].map(send)), [1, 2, 3])

  const soon = [send(4)]
  await delay(5)
  await Promise.all([...soon, send(5)])
  t.deepEqual(batches, [
    [1, 2, 3],
    [4, 5],
  ])
})
