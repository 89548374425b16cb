import { type RequestInHand, requestInHand } from './trace/request.ts'
import { dealWithTogether } from './trace/steps.ts'

type Waiting<Item, Result> = {
  item: Item
  request: RequestInHand | undefined
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

export type BatcherOptions = {
  /** The most items one batch may hold. */
  maxItems?: number
  /** How many batches may be under way before callers wait: more than one where the next can do its part meanwhile. */
  atOnce?: number
  /** How long a batch waits for others to come along, in milliseconds: 0 for the same turn of the event loop. Default: not. */
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
  { maxItems = 256, atOnce = 1, gatherMs, staleMs = 25 }: BatcherOptions = {},
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = []
  let isGathering = false
  const underWay = new Set<symbol>()

  function leave(): void {
    if (isGathering || underWay.size >= atOnce || waiting.length === 0) return
    isGathering = gatherMs !== undefined
    if (gatherMs === undefined) sendBatch()
    else if (gatherMs === 0) setImmediate(sendBatch)
    else setTimeout(sendBatch, gatherMs)
  }

  function sendBatch(): void {
    isGathering = false
    const batch = waiting.slice(0, maxItems)
    waiting = waiting.slice(maxItems)
    const turn = Symbol('batch')
    underWay.add(turn)
    const next = () => {
      clearTimeout(stale)
      if (underWay.delete(turn)) leave()
    }
    const stale = setTimeout(next, staleMs)
    settle(batch, send).finally(next)
    leave()
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
    const results = await dealWithTogether(requests, () => send(items))
    if (results.length !== batch.length) throw new Error('a batch was answered with another number of results')
    for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}
