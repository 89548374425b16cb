import { createHash } from 'node:crypto'
import type { MailRecipient } from '@family-inbox/proto/carecircle/v1/care_circle'
import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import type { Context } from '../context.ts'
import type { StorageUse } from '../models/storage-use.ts'
import { findStorageUse, NEARLY_FULL, recountStorage } from './count-storage.ts'

const RECOUNT_MS = 60_000

/**
 * Mails the owner that storage is nearly full, once until it is ample again. The id derives from the number of
 * warnings, so a retry sends nothing twice.
 */
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
  const name = createHash('sha256').update(`${use._id}\n${recipient.personId}\n${use.warnings}`).digest('hex')
  return {
    id: `storage-${name.slice(0, 32)}`,
    kind: MailKind.STORAGE,
    workspaceId: use._id,
    toAddress: recipient.email,
    toName: recipient.name,
    fromName: 'Family Care Inbox',
    replyTo: '',
    subject: 'Your family’s storage is nearly full',
    text: [
      `${workspaceName} has used more than 80% of its mail storage.`,
      'When storage is full, new mail can’t arrive. Senders keep trying for a few days. The mail you have stays.',
      'Check for forwarding rules that send mail you don’t need. You can download everything in your settings.',
    ].join('\n\n'),
    actionLabel: 'Open data settings',
    actionUrl: `${ctx.config.inboxUrl}/settings/your-data`,
    inReplyTo: '',
    references: [],
  }
}
