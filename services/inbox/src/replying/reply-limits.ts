import { type RateLimit, spendRateLimits } from '@family-inbox/service-kit/mongo/rate-limit'
import { count } from '@family-inbox/service-kit/observability/metrics'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { daysAgo } from '@family-inbox/service-kit/time/days'
import { OUTGOING_MAIL_STOPPED } from '@family-inbox/workspace-kit/outgoing-mail'
import type { Context } from '../context.ts'
import { hashRecipient, type StopReason } from '../models/stopped-recipient.ts'
import { findStop, type Stop } from '../sending/stopped-mail.ts'
import type { Recipient } from './copy-recipients.ts'

const NEW_DAYS = 7

const STOPPED: Record<StopReason, string> = {
  bounce: 'Earlier mail to this address came back as undeliverable.',
  complaint: 'This recipient asked for no more mail from your family.',
}

type LimitedReply = {
  workspaceId: string
  personId: string
  to: string
  isVerified: boolean
  /** Who else gets it: each counts like a reply to them. */
  copies: Recipient[]
}

const refused = count({
  name: 'replies_refused_total',
  help: 'Refused replies, by reason: limit, bounce, complaint or stopped workspace.',
  labels: ['reason'],
})

/** Retries are not counted again. Limits are lower for unverified recipients: a mail may trick an agent. */
export async function spendReplyLimits(ctx: Context, reply: LimitedReply, requestName: string): Promise<void> {
  const [stop, scopes] = await Promise.all([
    findStop(ctx, reply.workspaceId, reply.to),
    scopesOf(ctx, reply, requestName),
  ])
  if (stop !== undefined) {
    refused.inc({ reason: stop.reason })
    throw new StatusError('FAILED_PRECONDITION', describeStop(stop))
  }
  try {
    await spendRateLimits(ctx.mailLimits, scopes, requestName)
  } catch (error) {
    if (error instanceof StatusError) refused.inc({ reason: 'limit' })
    throw error
  }
}

function describeStop(stop: Stop): string {
  if (stop.reason === 'workspace') return OUTGOING_MAIL_STOPPED
  const until = stop.expiresAt.toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })
  return `${STOPPED[stop.reason]} This reply was not sent. Nothing is sent there until ${until}, unless your family’s owner allows it on the message’s page.`
}

async function scopesOf(ctx: Context, reply: LimitedReply, requestName: string): Promise<RateLimit[]> {
  const { workspaceId, personId, to, copies, isVerified } = reply
  const { replyLimits } = ctx.config
  const perWorkspace = (await isNew(ctx, workspaceId)) ? replyLimits.newWorkspace : replyLimits.workspace
  const everyone = 'Your family has reached its limit for replies. This reply was not sent.'
  const person = 'You have reached your limit for replies. This reply was not sent.'
  const recipient = 'Your family has reached its limit for replies to this address. This reply was not sent.'
  const unverified = 'Your family has reached its limit for replies to unverified senders. This reply was not sent.'
  const scopesFor = (one: Recipient, counts: string): RateLimit[] => [
    { _id: `workspace/${workspaceId}`, windows: perWorkspace, refusal: everyone, counts },
    { _id: `person/${personId}`, windows: replyLimits.person, refusal: person, counts },
    {
      _id: `recipient/${workspaceId}/${hashRecipient(one.address)}`,
      windows: replyLimits.recipient,
      refusal: recipient,
      counts,
    },
    ...(one.isVerified
      ? []
      : [{ _id: `unverified/${workspaceId}`, windows: replyLimits.unverified, refusal: unverified, counts }]),
  ]
  return [
    ...scopesFor({ address: to, isVerified }, requestName),
    ...copies.flatMap((copy, index) => scopesFor(copy, `${requestName}/${index + 1}`)),
  ]
}

/** The first address is older than any reply, and needs no call to another service. */
async function isNew(ctx: Context, workspaceId: string): Promise<boolean> {
  return (await ctx.inboxAddresses.exists({ workspaceId, createdAt: { $lt: daysAgo(NEW_DAYS) } })) === null
}
