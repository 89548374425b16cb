import { describeError } from '@family-inbox/service-kit/observability/logger'
import type { Context } from '../context.ts'
import type { Inbox } from '../models/message.ts'
import { NEARLY_FULL } from './count-storage.ts'
import { releaseStorage, reserveStorage } from './reserve-storage.ts'
import { type ReadableMail, storeMail } from './store-mail.ts'
import { warnOwner } from './warn-owner.ts'

/**
 * Stores a mail in a family's inbox, within what the inbox takes in an hour and the workspace in bytes. Storage that a delivery
 * took whose end is not known is not given back before the next exact count.
 * @throws Refusal when either is used up
 */
export async function storeWithinLimits(ctx: Context, inbox: Inbox, mail: ReadableMail): Promise<void> {
  const { bytes, warnedAt } = await reserveStorage(ctx, inbox, mail.raw.length)
  if (!(await storeMail(ctx, inbox, mail))) await releaseStorage(ctx, inbox, mail.raw.length)
  if (bytes < ctx.config.storageBytes * NEARLY_FULL || warnedAt !== undefined) return
  // The next mail tries again.
  void warnOwner(ctx, inbox.workspaceId).catch((error) =>
    ctx.logger.warn(describeError(error), 'an owner could not be told yet that their storage is nearly full'),
  )
}
