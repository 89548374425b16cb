import { type PostedEvent, Verdict } from '@family-inbox/proto/pipe/v1/pipe'
import { readIsoTime } from '@family-inbox/service-kit/text/iso-time'
import { type Arrival, decide } from './arrival.ts'

/** SPEC "Limits", in both directions. */
const TOLERANCE_MS = 5 * 60_000

export function checkTimestamp(arrivals: readonly Arrival[]): void {
  for (const arrival of arrivals) {
    const { posted, receivedAt } = arrival
    const isWebhookFresh = !isWebhook(posted) || isFreshWebhook(posted.webhookTimestamps, receivedAt)
    if (!isFresh(posted.timestamps, receivedAt) || !isWebhookFresh) decide(arrival, Verdict.STALE)
  }
}

/** Any Standard Webhooks header makes all of them required. */
export function isWebhook({ webhookIds, webhookTimestamps, webhookSignatures }: PostedEvent): boolean {
  return webhookIds.length + webhookTimestamps.length + webhookSignatures.length > 0
}

function isFreshWebhook(given: readonly string[], now: Date): boolean {
  const [seconds = ''] = given
  return given.length === 1 && /^\d{1,12}$/.test(seconds) && isNear(new Date(Number(seconds) * 1000), now)
}

function isFresh(given: readonly string[], now: Date): boolean {
  const sentAt = given.length === 1 ? readIsoTime(given[0] ?? '') : undefined
  return sentAt !== undefined && isNear(sentAt, now)
}

function isNear(sentAt: Date, now: Date): boolean {
  return Math.abs(now.getTime() - sentAt.getTime()) <= TOLERANCE_MS
}
