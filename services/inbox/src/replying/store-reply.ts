import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { cleanText } from '@family-inbox/service-kit/text/clean-text'
import { DUPLICATE_WINDOW_MS } from '@family-inbox/workspace-kit/proposals'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { newReplyId, type Reply } from '../models/reply.ts'
import type { Recipient } from './copy-recipients.ts'
import { fileGone } from './reply-files.ts'
import { spendReplyLimits } from './reply-limits.ts'

/** A concurrent insert reaches a majority within milliseconds. */
const RETRY_FOR_MS = 500
const RETRY_EVERY_MS = 20

const MAX_UNDO_SECONDS = 30

export type NewReply = Omit<Reply, '_id' | 'derivedKey' | 'requestHash' | 'createdAt' | 'mailQueuedAt'>

/** Returns the reply of an identical request: same key, or same text, member and message within ten minutes. */
export async function storeReply(
  ctx: Context,
  request: NewReply,
  isVerified: boolean,
  copies: Recipient[] = [],
): Promise<Reply> {
  const reply = toReply(request)
  const earlier = await findEarlier(ctx, reply)
  if (earlier !== null) return earlier
  await spendReplyLimits(ctx, { ...reply, isVerified, copies }, limitKeyOf(reply))
  return insertOrFindEarlier(ctx, reply)
}

/** Checks and spends the limits of a reply that is stored later. Repeating it spends nothing. */
export async function admitReply(ctx: Context, request: NewReply, isVerified: boolean): Promise<void> {
  const reply = toReply(request)
  await spendReplyLimits(ctx, { ...reply, isVerified, copies: [] }, limitKeyOf(reply))
}

/** Like `storeReply`, for one that `admitReply` admitted. */
export async function storeAdmittedReply(ctx: Context, request: NewReply): Promise<Reply> {
  const reply = toReply(request)
  return (await findEarlier(ctx, reply)) ?? insertOrFindEarlier(ctx, reply)
}

export async function findEarlierReply(ctx: Context, request: NewReply): Promise<Reply | null> {
  return findEarlier(ctx, toReply(request))
}

async function insertOrFindEarlier(ctx: Context, reply: Reply): Promise<Reply> {
  for (const giveUpAt = Date.now() + RETRY_FOR_MS; ; await sleep(RETRY_EVERY_MS)) {
    if (await insertOnce(ctx, reply)) return reply
    const concurrent = await findEarlier(ctx, reply)
    if (concurrent !== null) return concurrent
    await releaseDerivedKey(ctx, reply)
    if (Date.now() > giveUpAt)
      throw new StatusError('UNAVAILABLE', 'The same reply is being saved right now. Try again.')
  }
}

async function insertOnce(ctx: Context, reply: Reply): Promise<boolean> {
  try {
    await insertWithFiles(ctx, reply)
    crashPoint('reply-stored')
    return true
  } catch (error) {
    if (isDuplicateKey(error)) return false
    throw error
  }
}

/** A reply and its files change together: no crash leaves files that neither a draft nor a reply has. */
async function insertWithFiles(ctx: Context, reply: Reply): Promise<void> {
  const { attachments } = reply
  const sealed = await ctx.seal(ctx.replies, reply.workspaceId, reply)
  if (attachments === undefined) return void (await ctx.replies.insertOne(sealed))
  await ctx.connection.transaction(async (session) => {
    await ctx.replies.insertOne(sealed, { session })
    const { matchedCount } = await ctx.replyFiles.updateMany(
      { _id: { $in: attachments.map(({ file }) => file) }, replyId: null, isRemoved: null },
      { $set: { replyId: reply._id, messageRowId: reply.messageRowId }, $unset: { expiresAt: 1 } },
      { session },
    )
    if (matchedCount < attachments.length) throw fileGone()
  })
}

function toReply(request: NewReply): Reply {
  return { _id: newReplyId(), ...request, ...requestKeys(request), createdAt: new Date() }
}

/** Two requests with the same keys are the same. Files count by content: a form without JavaScript sends them again under other ids. */
export function requestKeys(reply: NewReply) {
  const { messageRowId, to, cc, body, personId, idempotencyKey, attachments, forward, opening } = reply
  const text = `${messageRowId}\n${body}`
  const more =
    forward || opening ? [to, forward ?? opening] : attachments?.map(({ filename, hash }) => [filename, hash])
  const files = opening && attachments?.map(({ filename, hash }) => [filename, hash])
  const all = cc || files ? [more, cc, files] : more
  const requestHash = createHash('sha256')
    .update(all === undefined ? text : `${text}\n${JSON.stringify(all)}`)
    .digest('hex')
  if (idempotencyKey !== undefined) return { idempotencyKey, requestHash }
  return { derivedKey: `${personId}/${requestHash}`, requestHash }
}

/** Read with majority concern, so what is returned is durable. */
async function findEarlier(ctx: Context, reply: Reply): Promise<Reply | null> {
  const { workspaceId, idempotencyKey, messageRowId, personId, requestHash } = reply
  const hasKey = idempotencyKey !== undefined
  const duplicate = { messageRowId, personId, requestHash, createdAt: { $gt: duplicateWindowStart() } }
  const earlier = await ctx.replies
    .findOne(hasKey ? { workspaceId, idempotencyKey } : duplicate)
    .sort({ createdAt: 1 })
    .readConcern('majority')
    .lean<Reply | null>()
  if (earlier === null || earlier.requestHash === requestHash) return earlier
  const message = 'This idempotencyKey was used for another reply. Use a new one.'
  throw new StatusError('ALREADY_EXISTS', message, { field: 'idempotencyKey' })
}

/** After ten minutes, the same text is a new reply. */
async function releaseDerivedKey(ctx: Context, { workspaceId, derivedKey }: Reply): Promise<void> {
  if (derivedKey === undefined) return
  const old = { workspaceId, derivedKey, createdAt: { $lte: duplicateWindowStart() } }
  await ctx.replies.updateOne(old, { $unset: { derivedKey: 1 } })
}

/** The same for every attempt of one request. Hashed, because counts outlive a person who leaves. */
function limitKeyOf({ idempotencyKey, derivedKey, requestHash, createdAt }: Reply): string {
  const period = Math.floor(createdAt.getTime() / DUPLICATE_WINDOW_MS)
  const name = idempotencyKey === undefined ? `${derivedKey}/${period}` : `${idempotencyKey}/${requestHash}`
  return createHash('sha256').update(name).digest('hex')
}

function duplicateWindowStart(): Date {
  return new Date(Date.now() - DUPLICATE_WINDOW_MS)
}

/** The time to undo. @param seconds none without it, and at most 30 */
export function holdFor(seconds = 0): Pick<Reply, 'heldUntil'> {
  return seconds > 0 ? { heldUntil: new Date(Date.now() + Math.min(seconds, MAX_UNDO_SECONDS) * 1000) } : {}
}

export function requireBody(text: string): string {
  const body = cleanText(text).trim()
  if (body === '') throw invalidArgument('body', 'body is required.')
  if (body.length > MAX_BODY) throw invalidArgument('body', `body must be at most ${MAX_BODY} characters.`)
  return body
}

const MAX_BODY = 20_000
