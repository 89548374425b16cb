import type { KeyObject } from 'node:crypto'
import { type PostedEvent, Verdict } from '@family-inbox/proto/pipe/v1/pipe'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import type { Context } from '../context.ts'
import type { Partner } from '../models/partner.ts'
import { type Arrival, decide } from './arrival.ts'
import { isInstitutionId, partnerNamesFor } from './institution-id.ts'
import { isWebhook } from './require-fresh-timestamp.ts'
import { isSigned, isWebhookSigned } from './signature.ts'

/**
 * Refuses what no live secret of its institution has signed. The partners of all arrivals are read now, so a secret that was
 * revoked is worthless at once. An unknown institution is compared as long as a known one, and answered alike.
 */
export async function requireSignature(ctx: Context, arrivals: readonly Arrival[]): Promise<void> {
  const findPartner = await readPartners(ctx, arrivals)
  for (const arrival of arrivals) {
    const { posted, receivedAt } = arrival
    const partner = findPartner(institutionOf(arrival))
    const keys = partner === undefined ? [] : openKeys(ctx, partner, receivedAt)
    if (keys === undefined) decide(arrival, Verdict.TRY_AGAIN)
    else if (!isSignedThroughout(posted, keys)) decide(arrival, Verdict.BAD_SIGNATURE)
    else if (partner?.signedTimestampRequired && !isWebhook(posted)) decide(arrival, Verdict.UNSIGNED_TIMESTAMP)
    else arrival.partner = partner
  }
}

/** A second signature is optional, but one that was sent must be good. Both are always computed. */
function isSignedThroughout(posted: PostedEvent, keys: readonly KeyObject[]): boolean {
  const { body, signatures, webhookIds, webhookTimestamps, webhookSignatures } = posted
  const isBodySigned = isSigned(body, signatures, keys)
  if (!isWebhook(posted)) return isBodySigned
  const headers = { ids: webhookIds, timestamps: webhookTimestamps, signatures: webhookSignatures }
  const isTimeSigned = isWebhookSigned(body, headers, keys)
  return isBodySigned && isTimeSigned
}

/** Secrets that cannot be opened are our trouble: to the partner a refusal would be final. */
function openKeys(ctx: Context, partner: Partner, now: Date): KeyObject[] | undefined {
  try {
    return ctx.signingKeys(partner, now)
  } catch (error) {
    ctx.logger.error({ partnerId: partner._id, ...describeError(error) }, 'secrets of a partner cannot be opened')
    return undefined
  }
}

/** The institution a request names; empty unless it names one, once. */
function institutionOf({ posted: { institutions } }: Arrival): string {
  const [institutionId = ''] = institutions
  return institutions.length === 1 && isInstitutionId(institutionId) ? institutionId : ''
}

async function readPartners(ctx: Context, arrivals: readonly Arrival[]) {
  const names = new Set(arrivals.map(institutionOf).flatMap(partnerNamesFor))
  const partners = (await ctx.partners.collection
    .find({ names: { $in: [...names] } })
    .toArray()) as unknown as Partner[]
  const byName = new Map(partners.flatMap((partner) => partner.names.map((name) => [name, partner] as const)))
  return (institutionId: string): Partner | undefined => {
    const name = partnerNamesFor(institutionId).find((candidate) => byName.has(candidate))
    return name === undefined ? undefined : byName.get(name)
  }
}
