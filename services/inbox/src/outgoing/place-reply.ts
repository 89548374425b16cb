import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { newReplyId, type Reply } from '../models/reply.ts'
import { spendReplyLimits } from './reply-limits.ts'

/** For so long the same request without a name is the same reply. */
const REPEATED_WITHIN_MS = 10 * 60_000
/** What another request has just stored is on a majority within some milliseconds. */
const SETTLED_WITHIN_MS = 500
const LOOK_AGAIN_MS = 20

export type AskedReply = Omit<Reply, '_id' | 'unnamedRequest' | 'requestHash' | 'createdAt' | 'mailQueuedAt'>

/**
 * Stores a reply, or finds the one that an earlier request like it has stored: with the same idempotency key, or, without one,
 * with the same text by the same member to the same message, within ten minutes. Only a new one counts towards the limits.
 * @throws StatusError ALREADY_EXISTS for a key of another reply; as `spendReplyLimits`
 */
export async function placeReply(ctx: Context, asked: AskedReply, isVouchedFor: boolean): Promise<Reply> {
  const reply = toReply(asked)
  const earlier = await findEarlier(ctx, reply)
  if (earlier !== null) return earlier
  await spendReplyLimits(ctx, { ...reply, isVouchedFor }, requestNameOf(reply))
  for (const giveUpAt = Date.now() + SETTLED_WITHIN_MS; ; await sleep(LOOK_AGAIN_MS)) {
    if (await isInserted(ctx, reply)) return reply
    const quicker = await findEarlier(ctx, reply)
    if (quicker !== null) return quicker
    await releaseName(ctx, reply)
    if (Date.now() > giveUpAt)
      throw new StatusError('UNAVAILABLE', 'The same reply is being stored at this moment. Try again.')
  }
}

/** False when another request has its key, or its name. */
async function isInserted(ctx: Context, reply: Reply): Promise<boolean> {
  try {
    await ctx.replies.insertOne(reply)
    return true
  } catch (error) {
    if (isDuplicateKey(error)) return false
    throw error
  }
}

function toReply(asked: AskedReply): Reply {
  const requestHash = createHash('sha256').update(`${asked.messageRowId}\n${asked.body}`).digest('hex')
  const unnamed = asked.idempotencyKey === undefined && { unnamedRequest: `${asked.personId}/${requestHash}` }
  return { _id: newReplyId(), ...asked, ...unnamed, requestHash, createdAt: new Date() }
}

/** As a majority has it: what is answered from here is durable. */
async function findEarlier(ctx: Context, reply: Reply): Promise<Reply | null> {
  const { workspaceId, idempotencyKey, messageRowId, personId, requestHash } = reply
  const isNamed = idempotencyKey !== undefined
  const repeated = { messageRowId, personId, requestHash, createdAt: { $gt: repeatedSince() } }
  const earlier = await ctx.replies
    .findOne(isNamed ? { workspaceId, idempotencyKey } : repeated)
    .sort({ createdAt: 1 })
    .readConcern('majority')
    .lean<Reply | null>()
  if (earlier === null || earlier.requestHash === requestHash) return earlier
  const message = 'idempotencyKey was used for another reply. Use a new one.'
  throw new StatusError('ALREADY_EXISTS', message, { field: 'idempotencyKey' })
}

/** From ten minutes on the same text is a reply of its own. */
async function releaseName(ctx: Context, { unnamedRequest }: Reply): Promise<void> {
  if (unnamedRequest === undefined) return
  const old = { unnamedRequest, createdAt: { $lte: repeatedSince() } }
  await ctx.replies.updateOne(old, { $unset: { unnamedRequest: 1 } })
}

/**
 * The same for each try of one request, and another once an unnamed request counts as a new one. Hashed, since what is counted
 * outlives a person who leaves.
 */
function requestNameOf({ idempotencyKey, unnamedRequest, requestHash, createdAt }: Reply): string {
  const period = Math.floor(createdAt.getTime() / REPEATED_WITHIN_MS)
  const name = idempotencyKey === undefined ? `${unnamedRequest}/${period}` : `${idempotencyKey}/${requestHash}`
  return createHash('sha256').update(name).digest('hex')
}

function repeatedSince(): Date {
  return new Date(Date.now() - REPEATED_WITHIN_MS)
}
