import { AsyncLocalStorage } from 'node:async_hooks'
import type { Span } from '@opentelemetry/api'
import { randomText } from '../ids/ids.ts'

/** The current request, for logs and traces only. */
export type RequestContext = {
  /** `req_` and 16 characters. Comma-separated when one task serves several requests. */
  id: string
  span?: Span
}

/** Only a flood puts more requests into one batch; these are enough to find it. */
const MOST_IDS = 64

const inHand = new AsyncLocalStorage<RequestContext | undefined>()

export function currentRequest(): RequestContext | undefined {
  return inHand.getStore()
}

export function runInRequest<T>(request: RequestContext | undefined, work: () => T): T {
  return inHand.run(request, work)
}

export function newRequestId(): string {
  return `req_${randomText(16)}`
}

export function joinRequestIds(requests: Iterable<RequestContext>): string {
  const ids = new Set<string>()
  for (const { id } of requests) for (const one of id.split(',')) ids.add(one)
  return [...ids].slice(0, MOST_IDS).join(',')
}
