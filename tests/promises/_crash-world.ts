import type { Stack } from '@family-inbox/local-stack/run-stack'
import type { ServiceName } from '@family-inbox/local-stack/services'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import { crashLine } from '@family-inbox/service-kit/lifecycle/crash-point'
import type { Document, MongoClient } from 'mongodb'
import { CRASH_POINTS as AUTH } from '../../services/auth/src/crash-points.ts'
import { CRASH_POINTS as CARE_CIRCLE } from '../../services/care-circle/src/crash-points.ts'
import { CRASH_POINTS as INBOX } from '../../services/inbox/src/crash-points.ts'
import { CRASH_POINTS as PIPE } from '../../services/pipe/src/crash-points.ts'
import { countLines } from '../_count-lines.ts'
import { databaseName, openDatabase } from '../_database.ts'
import { type Sink, startMailSink } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { untilHandled } from '../_streams.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { readUntil, until } from '../_wait.ts'
import { type PipeWorld, startPipeWorld } from '../event-pipe/_pipe.ts'
import { HOME, KEY } from '../inbox/_answers.ts'
import { type Dovecot, HAS_DOVECOT, startDovecot } from '../inbox/_dovecot.ts'
import { text } from '../mail-corpus/build-mail.ts'
import { mintKey } from '../outgoing-mail/_approval.ts'

/** Reached by mail of a real IMAP server. */
const OF_MAILBOXES: readonly string[] = ['fetched-mail-handled', 'mailbox-advanced']

/** All crash points, by the service that has them. */
export const POINTS = {
  inbox: INBOX.filter((point) => HAS_DOVECOT || !OF_MAILBOXES.includes(point)),
  'care-circle': CARE_CIRCLE,
  pipe: PIPE,
  auth: AUTH,
}
export type Victim = keyof typeof POINTS

export type World = AsyncDisposable & {
  w: PipeWorld<Stack>
  sink: Sink
  mongo: MongoClient
  owner: Visitor
  /** A key that needs approval. */
  cautiousKey: string
  /** A message to reply to. */
  messageId: string
  /** Where it is installed. */
  dovecot: Dovecot | undefined
}

export const FROM_CLINIC = { From: 'Clinic <desk@clinic.example>' }

/** A family on a stack whose services can be ended at their crash points. */
export async function openCrashWorld(): Promise<World> {
  await using opening = new AsyncDisposableStack()
  const sink = opening.use(await startMailSink())
  const separate = Object.keys(POINTS) as Victim[]
  const dovecot = HAS_DOVECOT ? opening.use(await startDovecot()) : undefined
  const serviceEnv = {
    MAILBOXES_ON_PRIVATE_HOSTS: 'true',
    NODE_EXTRA_CA_CERTS: dovecot?.caFile,
    NODE_OPTIONS: `--import=${new URL('_fake-dns.ts', import.meta.url)}`,
    FAKE_DKIM_NAME: `s1._domainkey.${HOME}`,
    FAKE_DKIM_KEY: KEY,
  }
  const w = opening.use(
    // Rows are looked for by their subject, so nothing is sealed.
    await startPipeWorld({
      separate,
      serviceEnv,
      env: { SMTP_URL: sink.url, REPLY_UNDO_SECONDS: '5', KEY_ENCRYPTION_KEYS: '[]' },
    }),
  )
  const mongo = opening.use(await openDatabase(w.stack))
  const owner = await signIn(w, sink, w.family.people.owner)
  const cautiousKey = await mintKey(owner, 'approval')
  await openMailer(w.stack).deliver(w.family.lovedOnes[0]?.inboxAddress ?? '', text('Can you come?', FROM_CLINIC))
  const world = { w, sink, mongo, owner, cautiousKey, messageId: '', dovecot }
  const { messages } = await insist(world, w.family.keys.owner, 'list_inbox_messages', { lovedOneId: w.lovedOneId })
  // Their first write would bring a mail of its own, which could reach a point first.
  await rows(world, 'auth', 'tool_keys').updateMany({}, { $set: { firstWriteAt: new Date() } })
  const opened = opening.move()
  return { ...world, messageId: messages[0].id, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/** Lets a service die at these points in turn. @returns waits until it died at one of them, and is back */
export function arm<V extends Victim>({ w }: World, service: V, points: readonly (typeof POINTS)[V][number][]) {
  const { stack } = w
  stack.crashAt(service, points)
  stack.kill(service)
  return async (point: (typeof POINTS)[V][number]) => {
    await until(async () => countLines(stack.logs(service), crashLine(point)) === 1)
  }
}

/** Calls a tool until it is answered, as a client does. @param onCall runs before each call */
export async function insist({ w }: Pick<World, 'w'>, key: string, tool: string, args: object, onCall = () => {}) {
  const { json, text } = await readUntil(
    () => {
      onCall()
      return w.call(key, tool, args)
    },
    (answer) => answer.status === 200 && answer.json.error?.code !== -32_603,
  )
  const content = json.result?.structuredContent
  if (content === undefined) throw new Error(`${tool} was refused: ${text}`)
  return content
}

/** Presses a button until the page says that it worked, as a person does who saw an error. @returns how often */
export async function press(visitor: Visitor, path: string, fields: Record<string, string>): Promise<number> {
  let times = 0
  await readUntil(
    () => {
      times += 1
      return visitor.submit(path, fields)
    },
    ({ status }) => status === 303,
  )
  return times
}

export function rows({ mongo, w }: Pick<World, 'mongo' | 'w'>, service: ServiceName, collection: string) {
  return mongo.db(databaseName(w.stack, service)).collection<Document & { _id: string }>(collection)
}

export async function stateOf(world: World, mailId: string): Promise<string> {
  return (await rows(world, 'inbox', 'deliveries').findOne({ _id: mailId }))?.state ?? 'none'
}

/** Waits until the end of each mail is known, and no other is waiting anywhere. */
export async function untilMailed(world: World, mailIds: string[]): Promise<void> {
  const isOpen = async (id: string) => !['sent', 'unknown', 'failed'].includes(await stateOf(world, id))
  await readUntil(
    async () => (await Promise.all(mailIds.map(isOpen))).filter(Boolean).length,
    (open) => open === 0,
  )
  const { workspaceId } = world.w.family
  await until(
    async () => (await rows(world, 'inbox', 'replies').countDocuments({ workspaceId, mailQueuedAt: null })) === 0,
  )
  const due = { workspaceId, mailDueAt: { $exists: true } }
  await until(async () => (await rows(world, 'care-circle', 'invitations').countDocuments(due)) === 0)
  await untilHandled(world.w.stack, 'OUTGOING_MAIL')
}

/** Waits until every mail is checked, found by its words, and has its appointments in the calendar. */
export async function untilFollowedUp(world: World): Promise<void> {
  const { workspaceId } = world.w.family
  const pending = ['authenticityPending', 'indexPending', 'calendarPending'].map((field) => ({ [field]: true }))
  const open = { workspaceId, $or: pending }
  await until(async () => (await rows(world, 'inbox', 'messages').countDocuments(open)) === 0)
  await untilHandled(world.w.stack, 'CALENDAR_CHANGES')
}

export function mailsWith({ sink }: World, body: string): number {
  return sink.mails.filter(({ raw }) => raw.includes(body)).length
}

export function mailsTo({ sink }: World, email: string): number {
  return sink.mails.filter(({ to }) => to.includes(email)).length
}

export function newEmail(): string {
  return `${randomText(12)}@guest.example`
}
