import { createHmac, randomUUID } from 'node:crypto'

const TIMEOUT_MS = 10_000

type SentEvent = { status: number; retryAfterSec?: number; body: Record<string, unknown> }

/** The headers of an event (SPEC "Planned pipe ingest"). The signature covers the exact bytes of the body. */
export function signedHeaders(institutionId: string, secret: string, body: string | Uint8Array, sentAt = new Date()) {
  return {
    'Content-Type': 'application/json',
    'X-Pipe-Institution': institutionId,
    'X-Pipe-Timestamp': sentAt.toISOString(),
    'X-Pipe-Signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  }
}

/** The second signature, as in Standard Webhooks: over the id, the time and the body. */
export function webhookHeaders(id: string, secret: string, body: string | Uint8Array, sentAt = new Date()) {
  const timestamp = `${Math.floor(sentAt.getTime() / 1000)}`
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}

/** Signs an event and posts it once. Throws without a response within 10 seconds. */
export async function sendEvent(url: string, institutionId: string, secret: string, body: string): Promise<SentEvent> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...signedHeaders(institutionId, secret, body), ...webhookHeaders(randomUUID(), secret, body) },
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error) => {
    throw new Error(`No response from ${url}: ${error.cause?.code ?? error.message}`)
  })
  const retryAfter = response.headers.get('retry-after')
  return {
    status: response.status,
    ...(retryAfter !== null && { retryAfterSec: Number(retryAfter) }),
    body: (await response.json()) as Record<string, unknown>,
  }
}
