import { setTimeout as sleep } from 'node:timers/promises'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { type Act, type Actor, nextState, type State } from '@family-inbox/workspace-kit/status-rule'
import type { Context } from '../context.ts'
import type { ConversationStatus } from '../models/conversation-status.ts'
import { INDEX } from '../models/index-entry.ts'
import { conversationOf, type Message, messageRowId, publicIdOf } from '../models/message.ts'
import { moveStatus } from './join-statuses.ts'

/** Each try that fails means that somebody else succeeded. */
const TRIES = 20
const AGAIN_MS = 20

type Row = Pick<Message, '_id' | 'workspaceId' | 'lovedOneId' | 'receivedAt' | 'conversationId'>

/**
 * Changes the status of a message's conversation, unless somebody else was faster. Decides again when the conversation joined
 * another one meanwhile: the status of that one may be different.
 * @returns the status now, and whether this call changed it
 */
export async function changeStatus(
  ctx: Context,
  message: Row,
  act: Act,
  by: Actor,
): Promise<{ status: ConversationStatus | undefined; isChanged: boolean }> {
  let conversationId = conversationOf(message)
  let isChanged = false
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (tries > 0) await sleep(AGAIN_MS)
    const now = await findStatus(ctx, message, conversationId)
    const next = nextState(now, act, by)
    const changed =
      next === undefined || next === now ? undefined : await toRow(ctx, message, conversationId, now, next, act, by)
    const isLost = changed !== undefined && !(await replaceStatus(ctx, changed, now))
    isChanged ||= changed !== undefined && !isLost
    const current = await followJoin(ctx, message, conversationId)
    if (current === conversationId && !isLost) return { status: changed ?? now, isChanged }
    conversationId = current
  }
  throw new StatusError('UNAVAILABLE', 'Someone else is changing this right now. Try again.')
}

async function findStatus(ctx: Context, message: Row, conversationId: string): Promise<ConversationStatus | undefined> {
  const row = await ctx.conversationStatuses
    .findById(messageRowId(message, conversationId))
    .readConcern('majority')
    .lean()
  return row ?? undefined
}

async function toRow(
  ctx: Context,
  message: Row,
  conversationId: string,
  now: ConversationStatus | undefined,
  next: State,
  act: Act,
  by: Actor,
): Promise<ConversationStatus> {
  const { workspaceId, lovedOneId } = message
  const version = (now?.version ?? 0) + 1
  const _id = messageRowId(message, conversationId)
  const isHandedOver = act.kind === 'hand_over' && act.to.personId !== by.personId
  return {
    _id,
    workspaceId,
    lovedOneId,
    ...next,
    changedAt: new Date(),
    actedOn: publicIdOf(message),
    mailAt: now?.mailAt ?? (await findNewest(ctx, message, conversationId)),
    version,
    ...(isHandedOver && {
      handedOver: {
        noticeId: `handed-over/${_id}/${version}`,
        personId: act.to.personId,
        byName: by.name,
        messageId: publicIdOf(message),
      },
    }),
  }
}

/** False when someone else changed it since it was read. */
async function replaceStatus(
  ctx: Context,
  row: ConversationStatus,
  seen: ConversationStatus | undefined,
): Promise<boolean> {
  const { collection } = ctx.conversationStatuses
  const { _id, mailAt, ...changes } = row
  if (seen === undefined) {
    try {
      await collection.insertOne(row as never)
      return true
    } catch (error) {
      if (isDuplicateKey(error)) return false
      throw error
    }
  }
  const gone = { assigneeId: 1, assigneeName: 1, changedByName: 1, handedOver: 1 }
  const $unset = Object.fromEntries(Object.entries(gone).filter(([name]) => !(name in changes)))
  const { matchedCount } = await collection.updateOne(
    { _id: _id as never, version: seen.version },
    { $set: changes, $unset },
  )
  return matchedCount === 1
}

async function findNewest({ indexEntries }: Context, message: Row, conversationId: string): Promise<Date> {
  const { workspaceId, lovedOneId, receivedAt } = message
  const newest = await indexEntries
    .findOne({ workspaceId, lovedOneId, conversationId }, { receivedAt: 1 })
    .sort({ receivedAt: -1, _id: -1 })
    .hint(INDEX.byConversation)
    .lean()
  return newest?.receivedAt ?? receivedAt
}

/** New mail may join the conversation to another one at the same moment. @returns its id now */
async function followJoin(ctx: Context, message: Row, from: string): Promise<string> {
  const row = await ctx.messages.findById(message._id, { conversationId: 1 }).lean()
  if (row === null) return from
  const to = conversationOf(row)
  if (to !== from) await moveStatus(ctx, message, from, to)
  return to
}
