import { AsyncLocalStorage } from 'node:async_hooks'
import type { Span } from '@opentelemetry/api'
import { randomText } from '../ids/ids.ts'

/** The request that is being dealt with, as its log lines and its trace name it. It decides nothing. */
export type RequestInHand = {
  /** `req_` and 16 characters. Several with commas between them where work is done for several requests at once. */
  id: string
  /** The step of the trace that is under way; undefined where nothing is traced. */
  span?: Span
}

/** More requests than this share a batch only under a flood, and the names of these lead to it as well. */
const MOST_IDS = 64

const inHand = new AsyncLocalStorage<RequestInHand | undefined>()

/** What all this is done for; undefined for what the process does by itself. */
export function requestInHand(): RequestInHand | undefined {
  return inHand.getStore()
}

/** Does work for a request, or for none: whatever the work starts and waits for belongs to it. */
export function inRequest<T>(request: RequestInHand | undefined, work: () => T): T {
  return inHand.run(request, work)
}

export function newRequestId(): string {
  return `req_${randomText(16)}`
}

/** One name for work that is done for several requests at once. */
export function joinIds(requests: Iterable<RequestInHand>): string {
  const ids = new Set<string>()
  for (const { id } of requests) for (const one of id.split(',')) ids.add(one)
  return [...ids].slice(0, MOST_IDS).join(',')
}
