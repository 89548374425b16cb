import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import type { Context } from '../context.ts'
import { mailInvitation } from './mail-invitation.ts'

/** How long a call has to queue its invitation's mail itself; afterwards, how long a sweeper that took it up has. */
export const MAIL_GRACE_MS = 5000
const SWEEP_EVERY_MS = 2000

/**
 * Queues, every two seconds, the invitation mails that a crash or an absent NATS left unqueued. Any number of replicas may
 * sweep: each mail is taken up by one of them at a time, and were it queued twice it would still be one mail.
 */
export function startInvitationSweeper(ctx: Context): AsyncDisposable {
  // What failed is due again in a while; a mail that cannot be queued never holds up the others.
  const trouble = 'an invitation mail is not queued yet'
  return startSweeper({
    everyMs: SWEEP_EVERY_MS,
    sweep: () => mailNext(ctx),
    failureMessage: trouble,
    logger: ctx.logger,
  })
}

/** Whether there was a mail to take up. */
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
