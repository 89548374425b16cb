import { currentRequest, type RequestContext } from '../observability/request.ts'
import { runShared } from '../observability/spans.ts'

type Waiting<Item, Result> = {
  item: Item
  request: RequestContext | undefined
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

type BatcherOptions = {
  maxItems?: number
  /** Milliseconds a batch waits after the previous one: callers just answered may be back in a moment. Default: 0. */
  gatherMs?: number
  staleMs?: number
}

/**
 * Group commit: calls of one turn share a round trip, and those that arrive during it the next.
 * @param send returns one result per item, in order
 */
export function createBatcher<Item, Result>(
  send: (items: Item[]) => Promise<Result[]>,
  { maxItems = 256, gatherMs = 0, staleMs = 25 }: BatcherOptions = {},
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = []
  let isGathering = false
  let underWay: symbol | undefined
  let endedAt = Number.NEGATIVE_INFINITY

  function leave(): void {
    if (isGathering || underWay !== undefined || waiting.length === 0) return
    isGathering = true
    if (performance.now() - endedAt < gatherMs) setTimeout(sendBatch, gatherMs)
    else setImmediate(sendBatch)
  }

  function sendBatch(): void {
    isGathering = false
    const batch = waiting.slice(0, maxItems)
    waiting = waiting.slice(maxItems)
    const turn = Symbol('batch')
    underWay = turn
    const next = () => {
      clearTimeout(stale)
      if (underWay !== turn) return // it had gone stale
      underWay = undefined
      endedAt = performance.now()
      leave()
    }
    const stale = setTimeout(next, staleMs)
    void complete(batch, send).finally(next)
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, request: currentRequest(), resolve, reject })
      leave()
    })
}

async function complete<Item, Result>(
  batch: Waiting<Item, Result>[],
  send: (items: Item[]) => Promise<Result[]>,
): Promise<void> {
  try {
    const items = batch.map(({ item }) => item)
    const requests = batch.map(({ request }) => request)
    const results = await runShared(requests, () => send(items))
    if (results.length !== batch.length) throw new Error('the batch returned a different number of results')
    for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}

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
