import { createBatcher } from './batch.ts'

/** A batcher for each key, for as long as anybody waits at it. */
export function createKeyedBatcher<Item, Result>(
  send: (key: string, items: Item[]) => Promise<Result[]>,
): (key: string, item: Item) => Promise<Result> {
  const batchers = new Map<string, { enter: (item: Item) => Promise<Result>; waiting: number }>()
  return async (key, item) => {
    const batcher = batchers.get(key) ?? { enter: createBatcher((items: Item[]) => send(key, items)), waiting: 0 }
    batchers.set(key, batcher)
    batcher.waiting += 1
    try {
      return await batcher.enter(item)
    } finally {
      batcher.waiting -= 1
      if (batcher.waiting === 0) batchers.delete(key)
    }
  }
}
