import { writeAnswer } from '@family-inbox/mail-reader/calendar/write-answer'
import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { earliest } from '@family-inbox/service-kit/mongo/rows'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { raceDeadline } from '@family-inbox/service-kit/rpc/deadline'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { toMailName } from '@family-inbox/workspace-kit/mail-name'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { messageIdKey } from '../models/conversation-keys.ts'
import { wroteTo } from '../models/correspondent.ts'
import { formatAddress, newestAddress } from '../models/inbox-address.ts'
import { indexPeople } from '../models/index-words.ts'
import { type Message, messageNotFound, publicIdOf } from '../models/message.ts'
import { mailIdsOf, type Reply } from '../models/reply.ts'
import { messageIdHeaderFor } from '../sending/compose.ts'
import { openDelivery } from '../sending/send-once.ts'
import { FORWARDED_FIELDS, type ForwardedMessage, forwardedText, forwardSubject } from './forwarded-text.ts'
import { storeOpening } from './store-opening.ts'

const QUEUED_WITHIN_MS = 200
/** The request that stored a younger reply is still queueing it. */
const SWEEP_AFTER_MS = 10_000

const MAX_REFERENCES = 20

const DISCLOSURE = 'Written with an assistant’s help.'

/** Idempotent: the mail’s id is the reply’s. If the message was deleted, deletes the reply and throws NOT_FOUND. */
async function queueReply(ctx: Context, stored: Reply): Promise<void> {
  if (stored.mailQueuedAt !== undefined || !(await releaseHold(ctx, stored))) return
  const reply = await followMessage(ctx, stored)
  if (reply.opening) await storeOpening(ctx, reply, reply.opening.subject)
  // An accepted reply is still sent, also from an inbox whose address was retired since.
  const [message, address] = await Promise.all([findParent(ctx, reply), newestAddress(ctx, reply)])
  if (message === undefined) {
    await ctx.replies.deleteOne({ _id: reply._id, mailQueuedAt: null })
    throw messageNotFound()
  }
  await Promise.all([
    message.isAside ? undefined : indexReply(ctx, reply),
    ctx.correspondents.bulkWrite([reply.to, ...(reply.cc ?? [])].map((to) => wroteTo({ ...reply, to }))),
  ])
  const mail = replyMail(reply, message, formatAddress(address, ctx.config))
  await queueMail(ctx, mail, 'reply-queued')
  for (const copy of copiesOf(mail)) await queueMail(ctx, copy, 'copy-queued')
  await ctx.replies.updateOne({ _id: reply._id }, { $set: { mailQueuedAt: new Date() } })
}

async function queueMail(ctx: Context, mail: OutgoingMail, point: 'reply-queued' | 'copy-queued'): Promise<void> {
  const seq = await ctx.mailQueue.send(mail)
  crashPoint(point)
  await openDelivery(ctx, mail, { seq, queuedAt: new Date() })
}

/**
 * A mail for each other recipient, with the same headers. Each has a return path and a delivery of its own: so whoever refuses it
 * is known, and keeps it from nobody else.
 */
function copiesOf(mail: OutgoingMail): OutgoingMail[] {
  const cc = mail.shared?.ccAddresses ?? []
  const [, ...ids] = mailIdsOf({ _id: mail.id, cc })
  return cc.map((toAddress, index) => ({ ...mail, id: ids[index] ?? '', toAddress }))
}

/** Its message may have been moved to another inbox since it was read. */
async function followMessage({ findMovedMessages }: Context, reply: Reply): Promise<Reply> {
  const [moved] = await findMovedMessages([reply.messageRowId])
  if (moved === undefined) return reply
  return { ...reply, messageRowId: moved.messageRowId, lovedOneId: moved.toLovedOneId }
}

const PARENT_FIELDS = { subject: 1, messageIdHeader: 1, references: 1 } as const

/** Also one that was moved to Junk or Deleted since: an accepted reply is still sent. */
async function findParent({ messages, messagesAside }: Context, { messageRowId: _id, forward }: Reply) {
  const fields = { ...PARENT_FIELDS, ...(forward && FORWARDED_FIELDS) }
  const message = await messages.findById(_id, fields).lean<ParentMessage | null>()
  if (message !== null) return { ...message, isAside: false }
  const moved = await messagesAside.findById(_id, { message: 1 }).lean()
  return moved === null ? undefined : { ...moved.message, isAside: true }
}

/** Lets an answer that names only our reply, and a search for its writer, find the message. That may not be indexed yet. */
async function indexReply({ indexEntries, config, seal }: Context, reply: Reply): Promise<void> {
  const { _id, messageRowId, workspaceId, lovedOneId, name } = reply
  const writer = indexPeople([name])
  const { keys } = await seal(indexEntries, workspaceId, { keys: writer.keys })
  const conversationId = publicIdOf({ _id: messageRowId })
  await indexEntries.updateOne(
    { _id: messageRowId },
    {
      $addToSet: {
        conversation: messageIdKey(messageIdHeaderFor(_id, config)),
        keys: { $each: keys },
        people: writer.words,
      },
      $setOnInsert: { workspaceId, lovedOneId, conversationId },
    },
    { upsert: true },
  )
}

/** Queues a stored reply while the caller waits. The sweep retries anything slower, for example while NATS is down. */
export async function tryQueueReply(ctx: Context, reply: Reply): Promise<void> {
  try {
    await raceDeadline(queueReply(ctx, reply), Date.now() + QUEUED_WITHIN_MS)
  } catch (error) {
    if (error instanceof StatusError && error.status === 'NOT_FOUND') throw error
    ctx.logger.warn(describeError(error), 'a stored reply could not be queued; the sweep will retry')
    ctx.wake.replies()
  }
}

/** Ends the time to undo. False when the reply was undone. */
async function releaseHold(ctx: Context, { _id, heldUntil }: Reply): Promise<boolean> {
  if (heldUntil === undefined) return true
  const { matchedCount } = await ctx.replies.updateOne({ _id }, { $unset: { heldUntil: 1 } })
  return matchedCount === 1
}

/** Queues a stored reply, a held one when its time to undo is over. A crash before that leaves it to the sweep. */
export async function queueOrHold(ctx: Context, reply: Reply): Promise<void> {
  if (reply.heldUntil === undefined) return tryQueueReply(ctx, reply)
  setTimeout(() => void tryQueueReply(ctx, reply).catch(() => {}), reply.heldUntil.getTime() - Date.now()).unref()
}

export function sweepReplies(ctx: Context): AsyncDisposable {
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    dueAt: () => firstStale(ctx),
    sweep: () => sweep(ctx),
    wake: ctx.wake.replies,
    failureMessage: 'stored replies could not be queued; retrying',
    logger: ctx.logger,
  })
}

async function firstStale({ replies }: Context): Promise<Date | undefined> {
  const createdAt = await earliest(replies, 'createdAt', { mailQueuedAt: null })
  return createdAt && new Date(createdAt.getTime() + SWEEP_AFTER_MS + 1)
}

async function sweep(ctx: Context): Promise<boolean> {
  const staleFrom = new Date(Date.now() - SWEEP_AFTER_MS)
  const stale = { mailQueuedAt: null, createdAt: { $lt: staleFrom }, heldUntil: { $not: { $gte: staleFrom } } }
  for (const reply of await ctx.replies.find(stale).limit(100).lean()) await queueStale(ctx, reply)
  return false
}

/** A reply to a deleted message does not block the others. */
async function queueStale(ctx: Context, reply: Reply): Promise<void> {
  try {
    await queueReply(ctx, reply)
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
  }
}

/** With the text only for a forward. */
type ParentMessage = Pick<Message, keyof typeof PARENT_FIELDS> & ForwardedMessage

/**
 * Keeps the conversation (RFC 5322 section 3.6.4) and asks for replies to the loved one's inbox. A forward begins one of its own:
 * its recipient knows nothing of the earlier mail.
 */
function replyMail(reply: Reply, message: ParentMessage, inboxAddress: string): OutgoingMail {
  const { forward } = reply
  const parent = (!forward && message.messageIdHeader) || ''
  const fileCount = forward?.fileCount ?? reply.attachments?.length
  return {
    id: reply._id,
    kind: MailKind.REPLY,
    workspaceId: reply.workspaceId,
    toAddress: reply.to,
    ...(reply.cc && { shared: { id: reply._id, toAddress: reply.to, ccAddresses: reply.cc } }),
    toName: '',
    fromName: toMailName(reply.name),
    replyTo: inboxAddress,
    subject: subjectOf(reply, message),
    text: [
      reply.body,
      reply.footer,
      reply.disclosed ? DISCLOSURE : undefined,
      forward && forwardedText(message, forward),
    ]
      .filter((part) => part)
      .join('\n\n'),
    actionLabel: '',
    actionUrl: '',
    inReplyTo: parent,
    references: parent === '' ? [] : [...message.references, parent].slice(-MAX_REFERENCES),
    ...(fileCount && { attachmentCount: fileCount }),
    ...(reply.calendar && { calendarReply: writeAnswer(reply.calendar, reply.to, reply.createdAt) }),
  }
}

function subjectOf({ forward, opening }: Reply, message: ParentMessage): string {
  return opening?.subject ?? (forward ? forwardSubject(message) : replySubject(message))
}

export function replySubject({ subject }: Pick<Message, 'subject'>): string {
  return /^re:/i.test(subject) ? subject : `Re: ${subject}`
}
