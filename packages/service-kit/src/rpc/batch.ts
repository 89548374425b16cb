import { type RequestInHand, requestInHand } from '../observability/request.ts'
import { handleTogether } from '../observability/steps.ts'

type Waiting<Item, Result> = {
  item: Item
  request: RequestInHand | undefined
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

type BatcherOptions = {
  /** The most items one batch may hold. */
  maxItems?: number
  /**
   * How long after the end of a batch the next waits for others to come along, in milliseconds: whoever was answered may be
   * back in a moment. A batch that follows none waits for those of the same turn of the event loop only. Default: not at all.
   */
  gatherMs?: number
  /** When a batch no longer holds the line, in milliseconds. */
  staleMs?: number
}

/**
 * Group commit: calls that arrive while one batch is under way leave together in the next, so that the price of a round
 * trip is shared by as many callers as are waiting, and a caller alone waits for nobody. No call ever joins a batch that
 * has left, so what a batch reads is never older than the call that asked. A batch that is stale no longer holds the line, so
 * that one slow answer delays only the calls inside it.
 * @param send takes the items of one batch and answers with as many results, in order; a rejection rejects them all
 */
export function createBatcher<Item, Result>(
  send: (items: Item[]) => Promise<Result[]>,
  { maxItems = 256, gatherMs, staleMs = 25 }: BatcherOptions = {},
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = []
  let isGathering = false
  let underWay: symbol | undefined
  let endedAt = Number.NEGATIVE_INFINITY

  function leave(): void {
    if (isGathering || underWay !== undefined || waiting.length === 0) return
    isGathering = gatherMs !== undefined
    if (gatherMs === undefined) sendBatch()
    else if (performance.now() - endedAt < gatherMs) setTimeout(sendBatch, gatherMs)
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
      if (underWay !== turn) return // it was stale before
      underWay = undefined
      endedAt = performance.now()
      leave()
    }
    const stale = setTimeout(next, staleMs)
    settle(batch, send).finally(next)
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, request: requestInHand(), resolve, reject })
      leave()
    })
}

async function settle<Item, Result>(
  batch: Waiting<Item, Result>[],
  send: (items: Item[]) => Promise<Result[]>,
): Promise<void> {
  try {
    const items = batch.map(({ item }) => item)
    const requests = batch.map(({ request }) => request)
    const results = await handleTogether(requests, () => send(items))
    if (results.length !== batch.length) throw new Error('a batch was answered with another number of results')
    for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}

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
