import { createHmac, type KeyObject } from 'node:crypto'
import { clientNetwork } from '@family-inbox/service-kit/http/client-network'
import { type RateLimit, spendRateLimits } from '@family-inbox/service-kit/mongo/rate-limit'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import type { Context } from '../context.ts'
import type { Invitation } from '../models/invitation.ts'

const NEW_MS = 7 * DAY_MS
/** Mails in a day, those of canceled invitations included. */
const PER_ADDRESS = 10
/** Above this limit nothing is counted or limited. */
const MAX_COUNTED = 1000

const REFUSAL = 'Too many invitations were sent today.'
const NETWORK_REFUSAL = 'New families sent too many invitations from your network today.'

type Sending = Pick<Invitation, 'workspaceId' | 'invitedBy' | 'email' | 'network'>

/**
 * A stranger could send a text to anybody with our name on it, so a new family sends few mails, and a network few of all its new
 * families. Idempotent for a mail id. @throws StatusError RESOURCE_EXHAUSTED with `retryAfterSec`
 */
export async function spendMailLimits(ctx: Context, sending: Sending, mailId: string): Promise<void> {
  const { workspaceId, invitedBy, email, network } = sending
  const { invitationsPerDay, newFamilyInvitationsPerDay, invitationsPerNetwork } = ctx.config
  const isNew = await isNewFamily(ctx, workspaceId)
  const most = isNew ? newFamilyInvitationsPerDay : invitationsPerDay
  const refusal = most < invitationsPerDay ? newFamilyRefusal(most) : REFUSAL
  const isCounted = isNew && network !== undefined && invitationsPerNetwork <= MAX_COUNTED
  const scopes = [
    inADay(`workspace/${workspaceId}`, most, refusal),
    inADay(`person/${invitedBy}`, most, refusal),
    inADay(`address/${workspaceId}/${email}`, PER_ADDRESS, REFUSAL),
    ...(isCounted ? [inADay(`network/${network}`, invitationsPerNetwork, NETWORK_REFUSAL)] : []),
  ]
  await spendRateLimits(ctx.mailLimits, scopes, mailId)
}

function inADay(_id: string, most: number, refusal: string): RateLimit {
  return { _id, windows: [{ most, ms: DAY_MS }], refusal }
}

function newFamilyRefusal(most: number): string {
  return `${REFUSAL} In its first week, and until someone has accepted an invitation, a family can send ${most} a day.`
}

/** Until its oldest member has been in it for a week, and somebody has joined them. */
async function isNewFamily({ members }: Context, workspaceId: string): Promise<boolean> {
  const [first, second] = await members.find({ workspaceId }, { joinedAt: 1 }).sort({ joinedAt: 1 }).limit(2).lean()
  return first === undefined || second === undefined || first.joinedAt.getTime() > Date.now() - NEW_MS
}

/** Keyed, because addresses are few enough to try. Undefined for an unknown address. */
export function hashNetwork(key: KeyObject, clientAddress = ''): string | undefined {
  const network = clientNetwork(clientAddress)
  if (network === 'unknown') return undefined
  return createHmac('sha256', key).update(`network ${network}`).digest('base64url')
}
