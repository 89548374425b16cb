import { spendAllowance } from '@family-inbox/service-kit/mongo/allowance'
import type { Context } from '../context.ts'
import type { Invitation } from '../models/invitation.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** How many invitation mails one household may send to one address in a day, those of cancelled invitations included. */
const PER_ADDRESS = 10

/**
 * Spends one of the invitation mails that a household, a member and an address have in any 24 hours. Spending for the same
 * mail again spends nothing.
 * @throws StatusError RESOURCE_EXHAUSTED with the seconds after which the same call will be admitted
 */
export async function spendMailAllowance(
  ctx: Context,
  { workspaceId, invitedBy, email }: Pick<Invitation, 'workspaceId' | 'invitedBy' | 'email'>,
  mailId: string,
): Promise<void> {
  const inADay = (_id: string, most: number) => ({ _id, windows: [{ most, ms: DAY_MS }], refusal: REFUSAL })
  const most = ctx.config.invitationsPerDay
  const scopes = [
    inADay(`household/${workspaceId}`, most),
    inADay(`person/${invitedBy}`, most),
    inADay(`address/${workspaceId}/${email}`, PER_ADDRESS),
  ]
  await spendAllowance(ctx.mailAllowances, scopes, mailId)
}

const REFUSAL = 'Too many invitations were sent today.'
