import { categorize } from '@family-inbox/mail-reader/text/category'
import { previewOf } from '@family-inbox/mail-reader/text/message-text'
import { deleteOwned } from '@family-inbox/workspace-kit/row-schema'
import MailComposer from 'nodemailer/lib/mail-composer/index.js'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { correspondentId } from '../models/correspondent.ts'
import { formatAddress, type InboxAddress, newestAddress } from '../models/inbox-address.ts'
import { type Message, publicIdOf } from '../models/message.ts'
import { newMark, readMarkId } from '../models/read-mark.ts'
import type { Reply } from '../models/reply.ts'

/**
 * Puts what the family wrote itself into the inbox, before it is mailed. It has no Message-ID there: whoever names that of its mail
 * answers us, which is what makes their mail join (arriving/choose-conversations.ts). Safe to repeat.
 */
export async function storeOpening(ctx: Context, reply: Reply, subject: string): Promise<void> {
  // The family may have moved it to Junk or Deleted since.
  const [moved] = await ctx.findMessagesAside([reply.messageRowId])
  if (moved !== undefined) return
  const row = await toRow(ctx, reply, subject, await newestAddress(ctx, reply))
  await ctx.insertMessage(row)
  crashPoint('opening-stored')
  const mark = { $setOnInsert: { ...newMark(reply.personId, row), read: true, readAt: row.receivedAt } }
  await ctx.readMarks.updateOne({ _id: readMarkId(reply.personId, row._id) }, mark, { upsert: true })
  ctx.wake.index()
  ctx.liveUpdates.announce(row.workspaceId, { lovedOneId: row.lovedOneId })
  // A removal that began before sees the message, or this check sees the removal.
  if (await ctx.removedWorkspaces.exists({ _id: row.workspaceId }))
    await deleteOwned(ctx.connection, 'workspaceId', [row.workspaceId])
}

async function toRow(
  { config, correspondents }: Context,
  reply: Reply,
  subject: string,
  address: InboxAddress,
): Promise<Message> {
  const { _id, workspaceId, lovedOneId, messageRowId, name, to, cc = [], body, footer, createdAt } = reply
  const text = [body, footer].filter((part) => part).join('\n\n')
  const from = { name, address: formatAddress(address, config) }
  const known = await correspondents.findById(correspondentId(workspaceId, to), { name: 1 }).lean()
  const original = await new MailComposer({ from, to, cc, subject, text, date: createdAt }).compile().build()
  return {
    _id: messageRowId,
    workspaceId,
    lovedOneId,
    addressId: address._id,
    conversationId: publicIdOf({ _id: messageRowId }),
    references: [],
    from,
    replyTo: { name: known?.name ?? '', address: to },
    to: [to, ...cc].map((address) => ({ name: '', address })),
    subject,
    category: categorize({ subject, text, automated: false, invitation: false }),
    preview: previewOf(text),
    text,
    truncated: false,
    unreadable: false,
    automated: false,
    attachments: [],
    attachmentCount: 0,
    sentAt: createdAt,
    receivedAt: createdAt,
    envelope: { sender: from.address, helo: '', peer: '' },
    size: original.length,
    original,
    ownReplyId: _id,
    indexPending: true,
  }
}
