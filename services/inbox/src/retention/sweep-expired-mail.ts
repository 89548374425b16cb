import { startSweeper } from '@family-inbox/service-kit/sweep'
import type { Context } from '../context.ts'
import { expireMail } from './expire-mail.ts'
import { daysAgo } from './least-kept.ts'

const SWEEP_EVERY_MS = 6 * 60 * 60 * 1000

/**
 * Deletes mail that is older than it is to be kept, at the start and then every six hours. It needs no index of its own, which
 * each mail would pay for as it arrives. Any number of replicas may: deleting twice is deleting once.
 */
export function sweepExpiredMail(ctx: Context): AsyncDisposable | undefined {
  const { mailKeptDays } = ctx.config
  if (mailKeptDays === undefined) return undefined
  return startSweeper({
    everyMs: SWEEP_EVERY_MS,
    sweep: async (signal) => {
      await expireMail(ctx, daysAgo(mailKeptDays), signal)
      return false
    },
    trouble: 'mail that is older than it is kept could not be deleted yet',
    logger: ctx.logger,
  })
}
