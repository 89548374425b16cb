import { CalendarChange } from '@family-inbox/proto/calendar/v1/calendar_change'
import { OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { natsLogin } from '@family-inbox/service-kit/nats/nats-identity'
import { CALENDAR_CHANGE_STREAM, CALENDAR_CHANGE_SUBJECTS } from '@family-inbox/workspace-kit/calendar-changes'
import { MAIL_STREAM, MAIL_SUBJECTS } from '@family-inbox/workspace-kit/outgoing-mail'
import { PROPOSAL_STREAM, PROPOSAL_SUBJECT } from '@family-inbox/workspace-kit/proposal-notices'
import { type Db, MongoClient } from 'mongodb'
import { connect, type JetStreamManager, NatsError } from 'nats'
import { databaseName } from './_database.ts'
import type { SharedStack } from './_shared-stack.ts'
import { readUntil } from './_wait.ts'

/** Longer than every lease, pause between two mails and time to undo. What is due in a morning is later. */
const SOON_MS = 30_000

type Match = Record<string, unknown>
type Source = [service: 'auth' | 'care-circle' | 'inbox', collection: string, isLeft: () => Match]
const isSet = (field: string): Match => ({ [field]: { $exists: true } })
const isSoon = (field: string): Match => ({ [field]: { $lte: new Date(Date.now() + SOON_MS) } })
const isAny = (...some: Match[]): Match => ({ $or: some })

/** Its events go through a queue of their own to care-circle, which mails those who go to what changed. */
const HAS_EVENTS: Source = ['inbox', 'messages', () => ({ calendarPending: true })]
/** The same the other way: inbox mails those who may send it. */
const IS_UNANNOUNCED: Source = ['care-circle', 'invitation_proposals', () => isSet('announceDueAt')]

/**
 * Rows that make mail. What a row makes is written before the row is changed, so whoever reads them in this order, and then the
 * queue, misses nothing.
 */
const MAKES_MAIL: Source[] = [
  ['auth', 'tool_keys', () => isSoon('alarmDueAt')],
  ['auth', 'grants', () => isSoon('alarmDueAt')],
  ['care-circle', 'care_events', () => isSoon('urgentMail.dueAt')],
  ['care-circle', 'appointments', () => isAny(isSet('noticeDueAt'), isSoon('remindDueAt'))],
  ['care-circle', 'invitation_proposals', () => ({ state: 'approved' })],
  ['care-circle', 'invitations', () => ({ state: 'pending', ...isSet('mailDueAt') })],
  ['inbox', 'messages', () => ({ indexPending: true })],
  ['inbox', 'conversation_statuses', () => isSet('handedOver')],
  ['inbox', 'notes', () => isSet('toNotify')],
  ['inbox', 'reminders', () => isSoon('dueAt')],
  ['inbox', 'notice_lists', () => isAny(isSoon('dueAt'), isSet('pending'))],
  ['inbox', 'notification_settings', () => isAny(...['dueAt', 'summaryDueAt'].map(isSoon))],
  ['inbox', 'notification_settings', () => isAny(...['pendingUpTo', 'summaryUpTo'].map(isSet))],
  ['inbox', 'reply_proposals', () => ({ state: 'approved' })],
  ['inbox', 'replies', () => ({ mailQueuedAt: null })],
]

type Stores = Parameters<typeof databaseName>[0] & Pick<SharedStack, 'natsUrl' | 'opsKey'>

/**
 * Waits until no mail of a family is due: no row that makes mail is due or claimed, and each mail that was queued was sent or
 * given up. Then more mail comes only after something else happens, however slow the machine is.
 * @param workspaceId empty for mail of no family
 * @throws what is left after a minute
 */
export async function untilNoMailIsDue(stack: Stores, workspaceId: string): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const mongo = opened.use(await new MongoClient(stack.mongoUri).connect())
  const nats = await connect({ servers: stack.natsUrl, waitOnFirstConnect: true, ...natsLogin(stack.opsKey) })
  opened.defer(() => nats.close())
  const manager = await nats.jetstreamManager()
  const runs = ([service]: Source) => stack.addresses[service] !== undefined
  const [sources, announcing] = [MAKES_MAIL.filter(runs), [IS_UNANNOUNCED].filter(runs)]
  const dbOf: DbOf = (service) => mongo.db(databaseName(stack, service))
  await readUntil(
    async () =>
      (await findRow(dbOf, [HAS_EVENTS], workspaceId)) ??
      (await findQueued(manager, CALENDAR_CHANGES, workspaceId)) ??
      (await findRow(dbOf, announcing, workspaceId)) ??
      (await findQueued(manager, PROPOSALS, workspaceId)) ??
      (await findRow(dbOf, sources, workspaceId)) ??
      (await findQueued(manager, OUTGOING_MAIL, workspaceId)),
    (left) => left === undefined,
  )
}

type DbOf = (service: Source[0]) => Db

async function findRow(dbOf: DbOf, sources: Source[], workspaceId: string): Promise<string | undefined> {
  for (const [service, collection, isLeft] of sources) {
    const row = await dbOf(service)
      .collection(collection)
      .findOne({ workspaceId, ...isLeft() })
    if (row !== null) return `${service}.${collection} ${JSON.stringify(row)}`
  }
  return undefined
}

type Queue = { stream: string; subjects: string; decode(data: Uint8Array): { workspaceId: string } }

const CALENDAR_CHANGES: Queue = {
  stream: CALENDAR_CHANGE_STREAM,
  subjects: CALENDAR_CHANGE_SUBJECTS,
  decode: CalendarChange.decode,
}
const PROPOSALS: Queue = {
  stream: PROPOSAL_STREAM,
  subjects: PROPOSAL_SUBJECT,
  decode: (data) => ({ workspaceId: new TextDecoder().decode(data) }),
}
const OUTGOING_MAIL: Queue = { stream: MAIL_STREAM, subjects: MAIL_SUBJECTS, decode: OutgoingMail.decode }

/** A message leaves its queue once its result is stored. */
async function findQueued(
  { streams }: JetStreamManager,
  { stream, subjects, decode }: Queue,
  workspaceId: string,
): Promise<string | undefined> {
  for (let seq = 0; ; ) {
    const next = { seq: seq + 1, next_by_subj: subjects }
    const message = await streams.getMessage(stream, next).catch(unlessNone)
    if (message === undefined) return undefined
    if (decode(message.data).workspaceId === workspaceId) return `${message.subject} ${message.seq}`
    seq = message.seq
  }
}

const NOT_FOUND = 10_037

function unlessNone(error: unknown): undefined {
  if (!(error instanceof NatsError) || error.jsError()?.err_code !== NOT_FOUND) throw error
}
