import { spendAllowance } from '@family-inbox/service-kit/mongo/allowance'
import type { Context } from '../context.ts'
import type { Invitation } from '../models/invitation.ts'

const REFUSAL = 'Too many invitations were sent today.'

const DAY_MS = 24 * 60 * 60 * 1000
/** Invitation mails per workspace and address in a day, canceled invitations included. */
const PER_ADDRESS = 10

/**
 * Counts an invitation mail against its workspace, inviter and address. Idempotent for a mail id.
 * @throws StatusError RESOURCE_EXHAUSTED with `retryAfterSec`
 */
export async function spendMailAllowance(
  ctx: Context,
  { workspaceId, invitedBy, email }: Pick<Invitation, 'workspaceId' | 'invitedBy' | 'email'>,
  mailId: string,
): Promise<void> {
  const inADay = (_id: string, most: number) => ({ _id, windows: [{ most, ms: DAY_MS }], refusal: REFUSAL })
  const most = ctx.config.invitationsPerDay
  const scopes = [
    inADay(`workspace/${workspaceId}`, most),
    inADay(`person/${invitedBy}`, most),
    inADay(`address/${workspaceId}/${email}`, PER_ADDRESS),
  ]
  await spendAllowance(ctx.mailAllowances, scopes, mailId)
}
