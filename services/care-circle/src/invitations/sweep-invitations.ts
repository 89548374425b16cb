import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import type { Context } from '../context.ts'
import { mailInvitation } from './mail-invitation.ts'

export const MAIL_GRACE_MS = 5000
const SWEEP_EVERY_MS = 2000

/** Queues what a crash or a NATS outage left over. Safe on any number of replicas. */
export function startInvitationSweeper(ctx: Context): AsyncDisposable {
  const failureMessage = 'could not queue an invitation mail; will retry'
  return startSweeper({
    everyMs: SWEEP_EVERY_MS,
    sweep: () => mailNext(ctx),
    failureMessage,
    logger: ctx.logger,
  })
}

async function mailNext(ctx: Context): Promise<boolean> {
  const now = new Date()
  const due = await ctx.invitations
    .findOneAndUpdate(
      { mailDueAt: { $lte: now }, state: 'pending', expiresAt: { $gt: now } },
      { $set: { mailDueAt: new Date(now.getTime() + MAIL_GRACE_MS) } },
      { sort: { mailDueAt: 1 }, returnDocument: 'after' },
    )
    .lean()
  if (due) await mailInvitation(ctx, due)
  return due !== null
}
