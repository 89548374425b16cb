import {
  type ConversationState,
  ConversationView,
  ConversationStatus as WireStatus,
} from '@family-inbox/proto/inbox/v1/inbox'
import type { Count } from '@family-inbox/service-kit/mongo/count-together'
import { olderThan } from '@family-inbox/service-kit/rpc/page'
import { FINISHED, type Status } from '@family-inbox/workspace-kit/status-rule'
import type { QueryFilter } from 'mongoose'
import type { Context } from '../context.ts'
import type { ConversationStatus } from '../models/conversation-status.ts'
import { INDEX } from '../models/index-entry.ts'
import { conversationOf, type Message, messageRowId, publicIdOf } from '../models/message.ts'
import type { Reader } from '../models/read-watermark.ts'

/** Counting stops here, so that it costs the same in every inbox. */
export const MAX_COUNT = 100

type Inboxes = { lovedOneIds: string[] }
type Ref = Pick<Message, '_id' | 'conversationId' | 'opensConversation'> & {
  receivedAt: Date
  workspaceId: string
  lovedOneId: string
}

export async function findStates(
  { findConversationStatuses }: Pick<Context, 'findConversationStatuses'>,
  refs: Ref[],
): Promise<(ref: Ref) => ConversationState | undefined> {
  const idOf = (ref: Ref) => messageRowId(ref, conversationOf(ref))
  const rows = await findConversationStatuses(refs.map(idOf))
  const known = new Map(rows.map((row) => [row._id, row]))
  return (ref) => {
    const row = known.get(idOf(ref))
    // New mail is about to open it (open-conversations.ts).
    if (
      ref.opensConversation &&
      (row === undefined || (FINISHED.includes(row.status) && row.actedOn !== publicIdOf(ref)))
    )
      return { status: WireStatus.OPEN, assigneeId: '', assigneeName: '', changedBy: '', changedAt: ref.receivedAt }
    return row && toWireState(row)
  }
}

const WIRE: Record<Status, WireStatus> = {
  open: WireStatus.OPEN,
  taken: WireStatus.TAKEN,
  done: WireStatus.DONE,
  not_needed: WireStatus.NOT_NEEDED,
}

export function fromWireStatus(wire: WireStatus | undefined): Status | undefined {
  return STATUSES.find((status) => WIRE[status] === wire)
}

const STATUSES = Object.keys(WIRE) as Status[]

/** Of more, a page of messages is found sooner by looking at each. */
const FEW = 500

/** The conversations of an inbox in a status; undefined if there are many. */
export async function findFewInStatus(
  { conversationStatuses }: Pick<Context, 'conversationStatuses'>,
  { workspaceId }: Reader,
  lovedOneId: string,
  status: Status,
): Promise<string[] | undefined> {
  const rows = await conversationStatuses
    .find({ workspaceId, lovedOneId, status }, { _id: 1 })
    .sort({ mailAt: -1, _id: -1 })
    .limit(FEW + 1)
    .lean()
  return rows.length > FEW ? undefined : rows.map(publicIdOf)
}

export function toWireState(row: ConversationStatus): ConversationState {
  const { status, assigneeId = '', assigneeName = '', changedByName = '', changedAt } = row
  return { status: WIRE[status], assigneeId, assigneeName, changedBy: changedByName, changedAt }
}

function viewFilter(view: ConversationView, { personId }: Reader): QueryFilter<ConversationStatus> {
  if (view === ConversationView.MINE) return { assigneeId: personId }
  return { status: { $in: view === ConversationView.DONE ? FINISHED : ['open', 'taken'] } }
}

/** Returns a page of a view: the conversations with the newest mail first. */
export async function findInView(
  { conversationStatuses }: Pick<Context, 'conversationStatuses'>,
  view: ConversationView,
  reader: Reader,
  { lovedOneIds }: Inboxes,
  { pageToken, limit }: { pageToken: string; limit: number },
): Promise<Pick<ConversationStatus, '_id' | 'mailAt'>[]> {
  const { workspaceId } = reader
  const inView = { workspaceId, lovedOneId: { $in: lovedOneIds }, ...viewFilter(view, reader) }
  return conversationStatuses
    .find({ $and: [inView, olderThan('mailAt', pageToken)] }, { mailAt: 1 })
    .sort({ mailAt: -1, _id: -1 })
    .limit(limit)
    .lean()
}

/** Each view but all mail, exact below `MAX_COUNT`. */
export function viewsToCount(
  { conversationStatuses }: Pick<Context, 'conversationStatuses'>,
  reader: Reader,
  { lovedOneIds }: Inboxes,
): Record<'open' | 'mine' | 'done', Count> {
  const { workspaceId } = reader
  const count = (view: ConversationView) => ({
    from: conversationStatuses,
    where: { workspaceId, lovedOneId: { $in: lovedOneIds }, ...viewFilter(view, reader) },
    limit: MAX_COUNT,
  })
  return {
    open: count(ConversationView.OPEN),
    mine: count(ConversationView.MINE),
    done: count(ConversationView.DONE),
  }
}

/** All conversations, exact below `MAX_COUNT`. Walks the index and skips the rest of each long conversation. */
export async function countAll(
  { indexEntries }: Pick<Context, 'indexEntries'>,
  workspaceId: string,
  { lovedOneIds }: Inboxes,
): Promise<number> {
  let count = 0
  for (const lovedOneId of lovedOneIds)
    for (let last = ''; count < MAX_COUNT; ) {
      const rows = await indexEntries.collection
        .find<{ conversationId: string }>(
          { workspaceId, lovedOneId, conversationId: { $gt: last } },
          { projection: { _id: 0, conversationId: 1 }, hint: INDEX.byConversation, limit: MAX_COUNT },
        )
        .toArray()
      count += new Set(rows.map(({ conversationId }) => conversationId)).size
      last = rows.at(-1)?.conversationId ?? ''
      if (rows.length < MAX_COUNT) break
    }
  return Math.min(count, MAX_COUNT)
}
