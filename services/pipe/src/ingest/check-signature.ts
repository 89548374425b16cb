import type { KeyObject } from 'node:crypto'
import { type PostedEvent, Verdict } from '@family-inbox/proto/pipe/v1/pipe'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import type { Context } from '../context.ts'
import type { Partner } from '../models/partner.ts'
import { isInstitutionId, partnerNamesFor } from '../partners.ts'
import { type Arrival, decide } from './arrival.ts'
import { isWebhook } from './check-timestamp.ts'
import { isSigned, isWebhookSigned } from './signature.ts'

/** Reads partners on every call, for revoked secrets. An unknown institution takes as long as a known one. */
export async function checkSignature(ctx: Context, arrivals: readonly Arrival[]): Promise<void> {
  const findPartner = await readPartners(ctx, arrivals)
  for (const arrival of arrivals) {
    const { posted, receivedAt } = arrival
    const partner = findPartner(institutionOf(arrival))
    const keys = partner === undefined ? [] : openKeys(ctx, partner, receivedAt)
    if (keys === undefined) decide(arrival, Verdict.TRY_AGAIN)
    else if (!hasValidSignatures(posted, keys)) decide(arrival, Verdict.BAD_SIGNATURE)
    else if (partner?.signedTimestampRequired && !isWebhook(posted)) decide(arrival, Verdict.UNSIGNED_TIMESTAMP)
    else arrival.partner = partner
  }
}

/** The webhook signature is optional, but must be valid if sent. Both are always computed. */
function hasValidSignatures(posted: PostedEvent, keys: readonly KeyObject[]): boolean {
  const { body, signatures, webhookIds, webhookTimestamps, webhookSignatures } = posted
  const isBodySigned = isSigned(body, signatures, keys)
  if (!isWebhook(posted)) return isBodySigned
  const headers = { ids: webhookIds, timestamps: webhookTimestamps, signatures: webhookSignatures }
  const isTimeSigned = isWebhookSigned(body, headers, keys)
  return isBodySigned && isTimeSigned
}

/** Undecryptable secrets are our failure: a refusal would be final to the partner. */
function openKeys(ctx: Context, partner: Partner, now: Date): KeyObject[] | undefined {
  try {
    return ctx.signingKeys(partner, now)
  } catch (error) {
    ctx.logger.error({ partnerId: partner._id, ...describeError(error) }, 'cannot decrypt the secrets of a partner')
    return undefined
  }
}

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
