import type { MailRecipient } from '@family-inbox/proto/carecircle/v1/care_circle'
import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { idsBelow } from '@family-inbox/service-kit/mongo/rows'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { toMailName } from '@family-inbox/workspace-kit/mail-name'
import { deriveMailId, fromService } from '@family-inbox/workspace-kit/outgoing-mail'
import type { Context } from '../context.ts'
import type { StorageUse } from '../models/storage-use.ts'

/** The owner is warned above the first share, and again only after falling below the second. */
export const NEARLY_FULL = 0.8
const WARN_AGAIN_BELOW = 0.7
const RECOUNT_MS = 60_000
/** The next exact count corrects what a crash loses. */
const UNJOURNALED = { writeConcern: { w: 1, journal: false } } as const

export async function findStorageUse(ctx: Context, workspaceId: string): Promise<StorageUse> {
  const known = await ctx.storageUses.findById(workspaceId).lean()
  if (known !== null) return known
  const use = { bytes: await sumBytes(ctx, workspaceId), countedAt: new Date(), arrivals: {}, warnings: 0 }
  try {
    await ctx.storageUses.updateOne({ _id: workspaceId }, { $setOnInsert: use }, { upsert: true })
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
  }
  return ctx.storageUses.findById(workspaceId).lean().orFail()
}

/** Reads every row, so only before refusing mail or warning the owner, at most every `restMs`. One replica counts. */
export async function recountStorage(ctx: Context, use: StorageUse, restMs: number): Promise<StorageUse> {
  const { _id, bytes, countedAt } = use
  if (countedAt.getTime() > Date.now() - restMs) return use
  const claimed = await ctx.storageUses.updateOne({ _id, countedAt }, { $set: { countedAt: new Date() } })
  if (claimed.matchedCount === 0) return use
  const counted = await sumBytes(ctx, _id)
  // Adds the difference, so mail arriving during the count is kept.
  const isAmpleAgain = counted < ctx.config.storageBytes * WARN_AGAIN_BELOW
  const change = { $inc: { bytes: counted - bytes }, ...(isAmpleAgain && { $unset: { warnedAt: 1 } }) }
  return ctx.storageUses.findByIdAndUpdate(_id, change, { returnDocument: 'after' }).lean().orFail()
}

async function sumBytes(ctx: Context, workspaceId: string): Promise<number> {
  const sum = { $group: { _id: null, bytes: { $sum: '$size' } } }
  const sumAside = { $group: { _id: null, bytes: { $sum: '$message.size' } } }
  const [[mail], [aside], [files]] = await Promise.all([
    ctx.messages.aggregate<{ bytes: number }>([{ $match: { workspaceId } }, sum]),
    ctx.messagesAside.aggregate<{ bytes: number }>([{ $match: { workspaceId } }, sumAside]),
    ctx.replyFiles.aggregate<{ bytes: number }>([{ $match: { _id: idsBelow(workspaceId) } }, sum]),
  ])
  return (mail?.bytes ?? 0) + (aside?.bytes ?? 0) + (files?.bytes ?? 0)
}

/** For files of replies. @throws StatusError RESOURCE_EXHAUSTED */
export async function reserveBytes(ctx: Context, workspaceId: string, bytes: number): Promise<void> {
  const fits = { _id: workspaceId, bytes: { $lte: ctx.config.storageBytes - bytes } }
  const reserve = () => ctx.storageUses.updateOne(fits, { $inc: { bytes } }, UNJOURNALED)
  if ((await reserve()).matchedCount === 1) return
  await recountStorage(ctx, await findStorageUse(ctx, workspaceId), RECOUNT_MS)
  if ((await reserve()).matchedCount === 1) return
  throw new StatusError('RESOURCE_EXHAUSTED', 'Your family’s storage is full.')
}

export async function releaseBytes(ctx: Context, workspaceId: string, bytes: number): Promise<void> {
  await ctx.storageUses.updateOne({ _id: workspaceId }, { $inc: { bytes: -bytes } }, UNJOURNALED)
}

/** Once until storage is ample again. The number of warnings is in the id, so a retry sends nothing twice. */
export async function warnOwner(ctx: Context, workspaceId: string): Promise<void> {
  const use = await recountStorage(ctx, await findStorageUse(ctx, workspaceId), RECOUNT_MS)
  const { warnedAt, warnings } = use
  if (warnedAt !== undefined || use.bytes < ctx.config.storageBytes * NEARLY_FULL) return
  const { recipients, workspaceName } = await ctx.careCircle.listMailRecipients({
    workspaceId,
    personIds: [],
    emails: [],
    owner: true,
  })
  for (const recipient of recipients) await ctx.mailQueue.send(warning(ctx, use, recipient, workspaceName))
  await ctx.storageUses.updateOne(
    { _id: workspaceId, warnings },
    { $set: { warnedAt: new Date() }, $inc: { warnings: 1 } },
  )
}

function warning(ctx: Context, use: StorageUse, recipient: MailRecipient, workspaceName: string): OutgoingMail {
  return {
    id: deriveMailId('storage', [use._id, recipient.personId, use.warnings]),
    kind: MailKind.STORAGE,
    workspaceId: use._id,
    ...fromService(recipient),
    subject: 'Your family’s storage is nearly full',
    text: [
      `${toMailName(workspaceName) || 'Your family'} has used more than 80% of its mail storage.`,
      'When storage is full, new mail can’t arrive. Senders keep trying for a few days. The mail you have stays.',
      'Check for forwarding rules that send mail you don’t need. You can download everything in your settings.',
    ].join('\n\n'),
    actionLabel: 'Open data settings',
    actionUrl: `${ctx.config.inboxUrl}/settings/your-data`,
  }
}
