import { describeError } from '@family-inbox/service-kit/observability/logger'
import type { Context } from '../context.ts'
import type { Inbox } from '../models/message.ts'
import { NEARLY_FULL } from './count-storage.ts'
import { releaseStorage, reserveStorage } from './reserve-storage.ts'
import { type ReadableMail, storeMail } from './store-mail.ts'
import { warnOwner } from './warn-owner.ts'

/**
 * Stores a mail within the inbox's hourly limit and the workspace's storage. A failed delivery keeps its reservation
 * until the next exact count.
 * @throws Refusal if either limit is reached
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
