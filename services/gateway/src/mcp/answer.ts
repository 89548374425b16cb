import type { Outcome } from '@family-inbox/proto/auth/v1/auth'
import type { Response } from 'express'

/** What goes back for one POST. */
export type Answer = {
  status: number
  /** JSON text; none for an accepted notification. */
  body?: string
  headers?: Record<string, string>
  /** Set when a tool was called: how it ended, for the record. */
  outcome?: Outcome
}

/** Writes one answer, as JSON and never to be cached. */
export function sendAnswer(res: Response, { status, body, headers }: Answer): void {
  res.writeHead(status, {
    ...headers,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    'cache-control': 'no-store',
    'content-length': body === undefined ? 0 : Buffer.byteLength(body),
  })
  res.end(body)
}
