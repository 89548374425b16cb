import { senderOf } from '@family-inbox/mail-reader/authenticity/sender-of'
import { SenderProof } from '@family-inbox/proto/calendar/v1/calendar_change'
import type { ClientSession } from 'mongoose'
import {
  conversationKeys,
  isBareAnswer,
  messageIdKey,
  messageIdKeys,
  subjectKeys,
} from '../models/conversation-keys.ts'
import { INDEX, type IndexEntry, type indexEntryModel } from '../models/index-entry.ts'
import { type Message, type messageModel, publicIdOf } from '../models/message.ts'
import type { Reply, replyModel } from '../models/reply.ts'
import type { CheckedMail } from './choose-conversations.ts'

/** More than all messages of two full conversations. */
const MAX_LOOKED_AT = 500
/** The first messages of each key: more may name a message than are looked at together. */
const MAX_OF_KEY = 100

const NO_REPLIES: ReadonlyMap<string, Recipients[]> = new Map()
const SENDER_FIELDS = { from: 1, originalSender: 1, forwardedByMember: 1, sentByMember: 1, authenticity: 1 } as const

export const LINKED_FIELDS = {
  workspaceId: 1,
  lovedOneId: 1,
  receivedAt: 1,
  sentAt: 1,
  messageIdHeader: 1,
  inReplyTo: 1,
  references: 1,
  subject: 1,
  ...SENDER_FIELDS,
} as const

export type LinkedRow = Pick<Message, '_id' | keyof typeof LINKED_FIELDS>

type Stores = {
  indexEntries: ReturnType<typeof indexEntryModel>
  messages: ReturnType<typeof messageModel>
  replies: ReturnType<typeof replyModel>
}
type Entry = Pick<IndexEntry, '_id' | 'conversationId' | 'conversation'>
type Linked = {
  mail: CheckedMail
  others: CheckedMail[]
}

/** @returns undefined while the check of such mail that came before it has not ended */
export async function findLinked(stores: Stores, row: LinkedRow, session?: ClientSession): Promise<Linked | undefined> {
  const own = await stores.indexEntries.findById(row._id, ENTRY_FIELDS, { session }).lean<Entry | null>()
  if (own === null)
    return { mail: toCheckedMail(row, { conversationId: publicIdOf(row), conversation: [] }, NO_REPLIES), others: [] }
  const { sought } = conversationKeys(row)
  const entries = await findEntries(stores, row, [...new Set([...sought, ...replyIdsOf(row, own)])], session)
  const linked = await findRows(stores, entries, session)
  if (linked.some((mail) => mail.authenticityPending && mail.receivedAt < row.receivedAt)) return undefined
  const rows = linked.filter((mail) => !mail.authenticityPending)
  const repliedTo = await findRecipients(stores, [own._id, ...rows.map(({ _id }) => _id)], session)
  const entryOf = new Map(entries.map((entry) => [entry._id, entry]))
  const others = rows.flatMap((one) => {
    const entry = entryOf.get(one._id)
    return entry === undefined ? [] : [toCheckedMail(one, entry, repliedTo)]
  })
  return { mail: toCheckedMail(row, own, repliedTo), others }
}

/** A mail of one inbox, and these of another. */
export async function readLinked(
  stores: Stores,
  row: LinkedRow,
  entries: Entry[],
): Promise<{ own: CheckedMail; others: CheckedMail[] }> {
  const rows = await findRows(stores, entries)
  const repliedTo = await findRecipients(stores, [row._id, ...rows.map(({ _id }) => _id)])
  const entryOf = new Map(entries.map((entry) => [entry._id, entry]))
  return {
    own: toCheckedMail(row, { conversationId: publicIdOf(row), conversation: [] }, repliedTo),
    others: rows.flatMap((one) => toCheckedMail(one, entryOf.get(one._id) as Entry, repliedTo)),
  }
}

const ENTRY_FIELDS = { conversationId: 1, conversation: 1 } as const

async function findEntries(
  { indexEntries }: Stores,
  { _id, workspaceId, lovedOneId }: LinkedRow,
  keys: string[],
  session?: ClientSession,
): Promise<Entry[]> {
  if (keys.length === 0) return []
  const find = (conversation: string | { $in: string[] }, limit: number) =>
    indexEntries
      .find({ workspaceId, lovedOneId, conversation, _id: { $ne: _id } }, ENTRY_FIELDS, { session })
      .limit(limit)
      .lean<Entry[]>()
  const entries = await find({ $in: keys }, MAX_LOOKED_AT)
  if (entries.length < MAX_LOOKED_AT) return entries
  const found: Entry[] = []
  for (const key of keys) found.push(...(await find(key, MAX_OF_KEY)))
  return [...new Map(found.map((entry) => [entry._id, entry])).values()]
}

function findRows({ messages }: Stores, entries: Entry[], session?: ClientSession) {
  if (entries.length === 0) return []
  return messages
    .find({ _id: { $in: entries.map(({ _id }) => _id) } }, { ...LINKED_FIELDS, authenticityPending: 1 }, { session })
    .lean<(LinkedRow & Pick<Message, 'authenticityPending'>)[]>()
}

type Recipients = Pick<Reply, 'to' | 'cc'>

async function findRecipients({ replies }: Stores, ids: string[], session?: ClientSession) {
  const rows =
    ids.length < 2
      ? []
      : await replies
          .find({ messageRowId: { $in: ids } }, { messageRowId: 1, to: 1, cc: 1 }, { session })
          .lean<(Recipients & { messageRowId: string })[]>()
  return Map.groupBy(rows, ({ messageRowId }) => messageRowId)
}

/** @param repliedTo by row id */
export function toCheckedMail(
  row: LinkedRow,
  entry: Omit<Entry, '_id'>,
  repliedTo: ReadonlyMap<string, Recipients[]>,
): CheckedMail {
  const { sender, proof } = senderOf(row)
  return {
    id: publicIdOf(row),
    conversationId: entry.conversationId,
    receivedAt: row.receivedAt,
    address: sender.address.toLowerCase(),
    proof,
    isMembers: row.sentByMember ?? false,
    ownId: row.messageIdHeader === undefined ? undefined : messageIdKey(row.messageIdHeader),
    ids: messageIdKeys(row),
    isBareAnswer: isBareAnswer(row),
    subjects: subjectKeys(row),
    replyIds: replyIdsOf(row, entry),
    repliedTo: (repliedTo.get(row._id) ?? []).flatMap(({ to, cc = [] }) => [to, ...cc]).map((one) => one.toLowerCase()),
  }
}

/** The stored keys beyond the mail’s own are those of our replies (replying/queue-reply.ts). */
function replyIdsOf(row: LinkedRow, { conversation }: Pick<Entry, 'conversation'>): string[] {
  const { own } = conversationKeys(row)
  return (conversation ?? []).filter((key) => !own.includes(key))
}

/**
 * Finds the conversations with mail that a sender outside the family provably sent. In one that a member put together, mail that a
 * member forwarded counts as well: their choice must not let in what proves nothing.
 */
export async function findVerified(
  { indexEntries, messages }: Stores,
  { workspaceId, lovedOneId }: Pick<LinkedRow, 'workspaceId' | 'lovedOneId'>,
  conversationIds: string[],
  session?: ClientSession,
): Promise<Set<string>> {
  const members = await indexEntries
    .find({ workspaceId, lovedOneId, conversationId: { $in: conversationIds } }, { conversationId: 1 }, { session })
    .hint(INDEX.byConversation)
    .lean<Pick<Entry, '_id' | 'conversationId'>[]>()
  const rows = await messages
    .find({ _id: { $in: members.map(({ _id }) => _id) } }, { ...SENDER_FIELDS, joinedByHand: 1 }, { session })
    .lean<Pick<Message, '_id' | 'joinedByHand' | keyof typeof SENDER_FIELDS>[]>()
  const conversationOf = new Map(members.map((entry) => [entry._id, entry.conversationId]))
  const byHand = new Set(rows.filter((row) => row.joinedByHand).map(({ _id }) => conversationOf.get(_id)))
  const isVerified = (row: (typeof rows)[0]) => {
    const { proof } = senderOf(row)
    if (proof === SenderProof.FORWARDED) return byHand.has(conversationOf.get(row._id))
    return proof === SenderProof.VERIFIED && !row.sentByMember
  }
  const verified = new Set(rows.filter(isVerified).map(({ _id }) => _id))
  return new Set(members.filter(({ _id }) => verified.has(_id)).map(({ conversationId }) => conversationId))
}
