import type { Response } from 'express'
import type { Answer } from './answer.ts'

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
