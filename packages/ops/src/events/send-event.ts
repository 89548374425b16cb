import { createHmac } from 'node:crypto'

const PATIENCE_MS = 10_000

/** What a partner is answered. */
export type SentEvent = { status: number; retryAfterSec?: number; body: Record<string, unknown> }

/** The headers of an event (SPEC "Planned pipe ingest"): the signature is over the very bytes of the body. */
export function signedHeaders(institutionId: string, secret: string, body: string | Uint8Array, sentAt = new Date()) {
  return {
    'Content-Type': 'application/json',
    'X-Pipe-Institution': institutionId,
    'X-Pipe-Timestamp': sentAt.toISOString(),
    'X-Pipe-Signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  }
}

/**
 * Signs an event and posts it, once.
 * @throws when nothing answers within 10 seconds
 */
export async function sendEvent(url: string, institutionId: string, secret: string, body: string): Promise<SentEvent> {
  const response = await fetch(url, {
    method: 'POST',
    headers: signedHeaders(institutionId, secret, body),
    body,
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch((error) => {
    throw new Error(`${url} does not answer: ${error.cause?.code ?? error.message}`)
  })
  const retryAfter = response.headers.get('retry-after')
  return {
    status: response.status,
    ...(retryAfter !== null && { retryAfterSec: Number(retryAfter) }),
    body: (await response.json()) as Record<string, unknown>,
  }
}
