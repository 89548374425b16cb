import { isDuplicateKey } from '@family-inbox/service-kit/mongo'
import { StatusError } from '@family-inbox/service-kit/status-error'
import type { Context } from '../context.ts'
import type { Invitation } from '../models/invitation.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** How many invitation mails one household may send to one address in a day, those of cancelled invitations included. */
const PER_ADDRESS = 10

type Scope = { _id: string; most: number }

/**
 * Spends one of the invitation mails that a household, a member and an address have in any 24 hours. Spending for the same
 * mail again spends nothing. Exact across replicas: the limit is in the filter of the update that spends.
 * @throws StatusError RESOURCE_EXHAUSTED with the seconds after which the same call will be admitted
 */
export async function spendMailAllowance(
  ctx: Context,
  { workspaceId, invitedBy, email }: Pick<Invitation, 'workspaceId' | 'invitedBy' | 'email'>,
  mailId: string,
): Promise<void> {
  const most = ctx.config.invitationsPerDay
  const scopes: Scope[] = [
    { _id: `household/${workspaceId}`, most },
    { _id: `person/${invitedBy}`, most },
    { _id: `address/${workspaceId}/${email}`, most: PER_ADDRESS },
  ]
  // Asked first, so that a mail that will be refused does not use up what the others have.
  const waits = await Promise.all(scopes.map((scope) => waitingTime(ctx, scope, mailId)))
  refuse(Math.max(...waits))
  await Promise.all(scopes.map((scope) => spend(ctx, scope, mailId)))
}

async function spend(ctx: Context, scope: Scope, mailId: string): Promise<void> {
  const { _id, most } = scope
  const now = new Date()
  const notWithinADay = { $not: { $gt: new Date(now.getTime() - DAY_MS) } }
  try {
    await ctx.mailAllowances.updateOne(
      { _id, 'spent.mailId': { $ne: mailId }, [`spent.${most - 1}.at`]: notWithinADay },
      {
        $push: { spent: { $each: [{ mailId, at: now }], $position: 0, $slice: most } },
        $set: { forgetAt: new Date(now.getTime() + DAY_MS) },
      },
      { upsert: true },
    )
  } catch (error) {
    // The row is there and does not match, so the upsert tried to make another; or two mails made it at the same moment.
    if (!isDuplicateKey(error)) throw error
    if (await isSpent(ctx, scope, mailId)) return
    refuse(await waitingTime(ctx, scope, mailId))
    await spend(ctx, scope, mailId)
  }
}

async function isSpent(ctx: Context, { _id }: Scope, mailId: string): Promise<boolean> {
  return (await ctx.mailAllowances.exists({ _id, 'spent.mailId': mailId })) !== null
}

/** Milliseconds until the mail may be made; 0 for one that is spent for. */
async function waitingTime(ctx: Context, { _id, most }: Scope, mailId: string): Promise<number> {
  const { spent = [] } = (await ctx.mailAllowances.findById(_id).lean()) ?? {}
  const earliest = spent[most - 1]
  if (earliest === undefined || spent.some((mail) => mail.mailId === mailId)) return 0
  return Math.max(0, earliest.at.getTime() + DAY_MS - Date.now())
}

function refuse(waitMs: number): void {
  if (waitMs === 0) return
  throw new StatusError('RESOURCE_EXHAUSTED', 'Too many invitations were sent today. Try again later.', {
    retryAfterSec: Math.ceil(waitMs / 1000),
  })
}
