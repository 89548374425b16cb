import type { AuditEntry, Outcome } from '@family-inbox/proto/auth/v1/auth'
import type { Response } from 'express'

export type Answer = {
  status: number
  /** JSON text; absent for an accepted notification. */
  body?: string
  headers?: Record<string, string>
  /** For the audit; set when a tool was called. */
  outcome?: Outcome
  /** For the audit; set when the call read or answered a message. */
  message?: AuditEntry['message']
}

export function sendAnswer(res: Response, { status, body, headers }: Answer): void {
  res.writeHead(status, {
    ...headers,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    'cache-control': 'no-store',
    'content-length': body === undefined ? 0 : Buffer.byteLength(body),
  })
  res.end(body)
}
