import type { ClientSession, Collection, Model } from 'mongoose'
import type { Context } from '../context.ts'
import { mergeStatuses } from '../conversations/merge-statuses.ts'
import type { ConversationStatus } from '../models/conversation-status.ts'
import { type Draft, draftId, mailDraftId } from '../models/draft.ts'
import type { inboxModels } from '../models/index.ts'
import type { IndexEntry } from '../models/index-entry.ts'
import { messageRowId } from '../models/message.ts'
import { readMarkId } from '../models/read-mark.ts'

/** A message that changes its inbox: the id of its row before and after. */
export type Carried = { from: string; to: string; lovedOneId: string }

/**
 * Gives what belongs to these messages to their rows in the other inbox. Repeating it carries only what was written under the old
 * id meanwhile.
 */
export async function carryOver(ctx: Context, carried: Carried[], session: ClientSession): Promise<void> {
  for (const [name, fieldsOf] of Object.entries(FIELDS))
    if (fieldsOf !== undefined)
      await ctx[name as keyof typeof FIELDS].collection.bulkWrite(carried.map(updateOf(fieldsOf)), { session })
  const toOf = new Map(carried.map((one) => [one.from, one]))
  const isOfThem = { messageRowId: { $in: [...toOf.keys()] } }
  await rename(ctx.drafts.collection, isOfThem, session, ({ personId, messageRowId: from, kind }) => {
    const { to, lovedOneId } = toOf.get(from) as Carried
    if (kind === undefined) return { _id: draftId(personId, to), messageRowId: to }
    return { _id: mailDraftId(personId, to, kind), messageRowId: to, lovedOneId }
  })
  await rename(ctx.readMarks.collection, isOfThem, session, ({ personId, messageRowId: from }) => {
    const { to, lovedOneId } = toOf.get(from) as Carried
    return { _id: readMarkId(personId, to), messageRowId: to, lovedOneId }
  })
  await rename(ctx.attachmentTexts.collection, { _id: { $in: [...toOf.keys()] } }, session, ({ _id }) => ({
    _id: (toOf.get(_id) as Carried).to,
  }))
  await carryEntries(ctx, carried, session)
}

const inInbox = ({ to, lovedOneId }: Carried) => ({ messageRowId: to, lovedOneId })

/** What changes in the rows that name their message. Forgetting a collection does not compile. */
const FIELDS = {
  notes: inInbox,
  reminders: inInbox,
  replies: inInbox,
  replyProposals: inInbox,
  answerAddresses: inInbox,
  replyFiles: ({ to }: Carried) => ({ messageRowId: to }),
  deletedNotes: (one: Carried) => ({
    ...inInbox(one),
    'note.messageRowId': one.to,
    'note.lovedOneId': one.lovedOneId,
  }),
  // Their ids name it, too.
  drafts: undefined,
  readMarks: undefined,
  // Where each message went.
  movedMessages: undefined,
} satisfies Record<NamesMessage, ((one: Carried) => object) | undefined>

type Models = ReturnType<typeof inboxModels>
type NamesMessage = {
  [Name in keyof Models]: Models[Name] extends Model<infer Row>
    ? 'messageRowId' extends keyof Row
      ? Name
      : never
    : never
}[keyof Models]

function updateOf(fieldsOf: (one: Carried) => object) {
  return (one: Carried) => ({
    updateMany: { filter: { messageRowId: one.from }, update: { $set: fieldsOf(one) } },
  })
}

type Row = Pick<Draft, '_id' | 'personId' | 'messageRowId' | 'kind'>

/** For rows whose id names their message. What is under the new id already is newer, and stays. */
async function rename(
  collection: Collection,
  filter: object,
  session: ClientSession,
  changesOf: (row: Row) => { _id: string },
): Promise<void> {
  const rows = (await collection.find(filter, { session }).toArray()) as unknown as Row[]
  if (rows.length === 0) return
  const added = rows.map((row) => {
    const { _id, ...fields } = { ...row, ...changesOf(row) }
    return { updateOne: { filter: { _id: _id as never }, update: { $setOnInsert: fields }, upsert: true } }
  })
  await collection.bulkWrite(added, { session })
  await collection.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) as never[] } }, { session })
}

/** An entry that a reply made meanwhile adds its keys: an answer to it finds the message by them. */
async function carryEntries({ indexEntries }: Context, carried: Carried[], session: ClientSession): Promise<void> {
  // As they are stored.
  const found = indexEntries.collection.find({ _id: { $in: carried.map(({ from }) => from) as never[] } }, { session })
  const entries = (await found.toArray()) as unknown as IndexEntry[]
  if (entries.length === 0) return
  const toOf = new Map(carried.map((one) => [one.from, one]))
  await indexEntries.collection.bulkWrite(
    entries.map(({ _id: from, conversation = [], keys = [], people = [], ...fields }) => {
      const { to, lovedOneId } = toOf.get(from) as Carried
      const added = { conversation: { $each: conversation }, keys: { $each: keys }, people: { $each: people } }
      const update = { $setOnInsert: { ...fields, lovedOneId }, $addToSet: added }
      return { updateOne: { filter: { _id: to as never }, update, upsert: true } }
    }) as never[],
    { session },
  )
  await indexEntries.deleteMany({ _id: { $in: entries.map(({ _id }) => _id) } }, { session })
}

type Inbox = { workspaceId: string; lovedOneId: string }

/** The status of a conversation that changes its inbox, merged with the one of that inbox, if any. */
export async function carryStatus(
  { conversationStatuses }: Pick<Context, 'conversationStatuses'>,
  { from, to, conversationId }: { from: Inbox; to: Inbox; conversationId: string },
  session: ClientSession,
): Promise<void> {
  const [fromId, _id] = [messageRowId(from, conversationId), messageRowId(to, conversationId)]
  const rows = await conversationStatuses
    .find({ _id: { $in: [fromId, _id] } }, null, { session })
    .lean<ConversationStatus[]>()
  const merged = mergeStatuses(rows)
  if (merged === undefined || rows.every((row) => row._id === _id)) return
  await conversationStatuses.deleteMany({ _id: { $in: rows.map((row) => row._id) } }, { session })
  await conversationStatuses.collection.insertOne({ ...merged, ...to, _id } as never, { session })
}
