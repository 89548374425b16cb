import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessName, Stack } from '@family-inbox/local-stack/run-stack'
import type { Processes } from '@family-inbox/local-stack/services'
import { Outcome } from '@family-inbox/proto/auth/v1/auth'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import test, { type ExecutionContext } from 'ava'
import { challengeId } from '../../services/auth/src/models/sign-in-challenge.ts'
import { send } from '../_family.ts'
import { type SunkMail, startMailSink } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { createRandom, scaled } from '../_random.ts'
import { untilHandled } from '../_streams.ts'
import { readUntil, until } from '../_wait.ts'
import { foundWorkspace, type ToolKey, type Workspace } from '../_workspace.ts'
import { type AuthStack, startBehindGateway } from '../auth/_auth.ts'
import { text } from '../mail-corpus/build-mail.ts'

const VICTIMS: Record<Processes, ProcessName[]> = {
  seven: ['inbox', 'mongod', 'care-circle', 'nats-server', 'auth', 'gateway'],
  single: ['inbox', 'mongod', 'inbox', 'nats-server', 'inbox'], // which is every service's process
}
const ROUNDS = scaled(1, 10)
/** Of each kind of write. */
const LANES = 2
/** From the start of the writes to well after their answers. */
const MOST_HEAD_START_MS = 600
const ANSWERED_WITHIN_MS = 60_000
/** Whose keys stay: the last twenty that can be repeated are among them. */
const KEPT_WRITES = 36

type Sink = Awaited<ReturnType<typeof startMailSink>>
type World = { s: AuthStack<Stack>; sink: Sink; workspace: Workspace; lovedOneId: string; messageId: string }

type Written = {
  kind: 'invitation' | 'reply' | 'sign-in code'
  /** Counts of attempts and of answers. */
  attempts: number
  answers: number
  /** The mail id in the answer. */
  mailId: string
  /** Whether a delivered mail belongs to it, whatever its id. */
  isAbout: (mail: SunkMail) => boolean
  again?: () => Promise<string>
  /** Its idempotency key. */
  key?: ToolKey
  isRevoked?: true
  challenge?: string
}

/** Limits for one family that writes months' worth of mail. */
const MANY_INVITATIONS = {
  INVITATIONS_PER_DAY: '1000',
  NEW_FAMILY_INVITATIONS_PER_DAY: '1000',
  INVITATIONS_PER_NETWORK: '1000000',
}
const MANY_REPLIES = {
  REPLIES_PER_NEW_WORKSPACE: '9999/9999',
  REPLIES_PER_PERSON: '9999/9999',
  REPLIES_PER_RECIPIENT: '9999/9999',
  REPLIES_TO_UNVERIFIED: '9999/9999',
}

for (const processes of ['seven', 'single'] as const)
  test.serial(
    `whatever is killed of ${processes === 'seven' ? 'seven processes' : 'a single process'}, every answered invitation, reply and code is mailed once and recorded once`,
    async (t) => {
      await using cleanUp = new AsyncDisposableStack()
      await writeAndCount(t, await openWorld(processes, cleanUp), VICTIMS[processes])
    },
  )

async function openWorld(processes: Processes, cleanUp: AsyncDisposableStack): Promise<World> {
  const sink = cleanUp.use(await startMailSink())
  const env = { SMTP_URL: sink.url, ...MANY_INVITATIONS, ...MANY_REPLIES }
  const s = cleanUp.use(await startBehindGateway({ processes, ownMongod: true, env }))
  const workspace = cleanUp.use(await foundWorkspace(s.stack))
  const { id: lovedOneId, inboxAddress } = await workspace.addLovedOne()
  await openMailer(s.stack).deliver(inboxAddress, text('A question.', { From: 'Clinic <desk@clinic.example>' }))
  const world = { s, sink, workspace, lovedOneId, messageId: '' }
  const key = await newKey(world)
  const list = () => callTool(world, key, 'list_inbox_messages', { lovedOneId })
  return { ...world, messageId: (await untilAnswered(list)).answer.messages[0].id }
}

async function writeAndCount(t: ExecutionContext, world: World, victims: readonly ProcessName[]) {
  const { stack } = world.s
  const before = victims.map((name) => stack.deaths(name))
  const written = await writeWhileKilling(t, world, victims)
  const again = written.filter(({ attempts }) => attempts > 1).length
  await untilSettled(world, written)

  const counted = count(await deliveriesOf(world, written), written, world.sink.mails)
  t.deepEqual({ lost: counted.lost, doubled: counted.doubled }, { lost: [], doubled: [] })
  for (const [index, name] of victims.entries()) t.true(stack.deaths(name) > Number(before[index]), name)
  await mailNothingMore(t, world, written)
  await signInWithSome(t, world, written)
  await requireRecords(t, world, written)
  t.true(again > 0, 'nobody ever met a service that was away')
  t.log(`${written.length} written, ${again} of them asked for again, ${counted.uncertain} uncertain whether mailed`)
}

/** Kills one after another. Each dies while every lane writes, and the next only when every lane was answered. */
async function writeWhileKilling(
  t: ExecutionContext,
  world: World,
  victims: readonly ProcessName[],
): Promise<Written[]> {
  const { stack } = world.s
  const random = createRandom()
  t.log(`TEST_SEED=${random.seed}`)
  const written: Written[] = []
  // The second begins while the victim is away, or as it comes back.
  const lane = async (write: (world: World) => Promise<Written>) => [await write(world), await write(world)]
  for (const name of Array.from({ length: ROUNDS }, () => victims).flat()) {
    const lanes = [invite, reply, askForCode].flatMap((write) => Array.from({ length: LANES }, () => lane(write)))
    const answered = Promise.all(lanes)
    await Promise.race([answered, sleep(random.between(0, MOST_HEAD_START_MS))])
    stack.kill(name)
    written.push(...(await answered).flat())
    await stack.waitReady()
    await revokeKeys(world, written.slice(-2 * KEPT_WRITES, -KEPT_WRITES))
  }
  return written
}

/** A person has at most fifty keys. Those of the last writes are used again. */
async function revokeKeys({ workspace }: World, written: Written[]): Promise<void> {
  for (const one of written) {
    if (one.key === undefined || one.isRevoked) continue
    const { id } = one.key
    await untilAnswered(() => workspace.owner.revokeKey(id).then(() => true, whenAway))
    one.isRevoked = true
  }
}

async function invite(world: World): Promise<Written> {
  const key = await newKey(world)
  const email = `${randomText(12)}@guest.example`
  const ask = async () => {
    const args = { email, role: 'viewer', idempotencyKey: email }
    const { invitationId } = (await callTool(world, key, 'invite_family_member', args)) ?? {}
    return invitationId && `${invitationId}-1`
  }
  return { kind: 'invitation', ...(await insist(ask)), again: ask, key, isAbout: ({ to }) => to.includes(email) }
}

async function reply(world: World): Promise<Written> {
  const key = await newKey(world)
  const body = `Reply ${randomText(12)}`
  const { messageId } = world
  const ask = async () =>
    (await callTool(world, key, 'reply_to_inbox_message', { messageId, body, idempotencyKey: body }))?.replyId
  return { kind: 'reply', ...(await insist(ask)), again: ask, key, isAbout: ({ raw }) => raw.includes(body) }
}

/** A repeated sign-in request creates another code. */
async function askForCode({ s }: World): Promise<Written> {
  const email = `${randomText(12)}@person.example`
  let challenge = ''
  const ask = async () => {
    const asked = await s.as.site.startSignIn({ email, clientAddress: anyAddress() }).catch(() => undefined)
    if (asked === undefined) return undefined
    challenge = asked.challenge
    return `sign-in-${challengeId(challenge).slice(0, 32)}`
  }
  const answered = await insist(ask)
  return { kind: 'sign-in code', ...answered, challenge, isAbout: ({ to }) => to.includes(email) }
}

async function insist(ask: () => Promise<string | undefined>) {
  const { answer: mailId, attempts } = await untilAnswered(ask)
  return { mailId, attempts, answers: 1 }
}

async function newKey({ workspace }: World): Promise<ToolKey> {
  const idempotencyKey = randomText(12)
  return (await untilAnswered(() => workspace.owner.mintKey(idempotencyKey).catch(whenAway))).answer
}

/** Nothing, while a service is away or too slow. */
function whenAway(error: unknown): undefined {
  const isAway =
    error instanceof StatusError && ['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'CANCELLED'].includes(error.status)
  if (!isAway) throw error
}

async function untilAnswered<T>(ask: () => Promise<T | undefined>): Promise<{ answer: T; attempts: number }> {
  const giveUpAt = Date.now() + ANSWERED_WITHIN_MS
  for (let attempts = 1; ; attempts += 1) {
    const answer = await ask()
    if (answer !== undefined) return { answer, attempts }
    if (Date.now() > giveUpAt) throw new Error(`no answer in ${attempts} attempts`)
    await sleep(50)
  }
}

/** The result, or undefined without an answer or for "try again". */
async function callTool({ s }: World, { secret }: ToolKey, name: string, args: object) {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${secret}` }
  const request = { method: 'POST', headers, body: JSON.stringify(message) }
  const answer = await send(`${s.stack.apiUrl}/mcp/v1`, request).catch(() => undefined)
  if (answer === undefined || answer.json?.error?.code === -32_603) return undefined
  const content = answer.json?.result?.structuredContent
  if (content === undefined) throw new Error(`${name} was refused: ${answer.text}`)
  return content
}

function databaseOf({ s }: World, service: 'inbox' | 'auth') {
  return s.mongo.db(new URL(s.stack.databaseUri(service)).pathname.slice(1))
}

type Delivery = { _id: string; state: string; messageIdHeader: string }

async function deliveriesOf(world: World, written: Written[]): Promise<Map<string, Delivery>> {
  const deliveries = databaseOf(world, 'inbox').collection<Delivery>('deliveries')
  const rows = await deliveries.find({ _id: { $in: written.map(({ mailId }) => mailId) } }).toArray()
  return new Map(rows.map((row) => [row._id, row]))
}

/** Waits until the fate of every mail is known. */
async function untilSettled(world: World, written: Written[]): Promise<void> {
  const isOpen = (state = '') => !['sent', 'unknown', 'failed'].includes(state)
  await readUntil(
    async () => {
      const deliveries = await deliveriesOf(world, written)
      return written.filter(({ mailId }) => isOpen(deliveries.get(mailId)?.state)).map(({ kind }) => kind)
    },
    (open) => open.length === 0,
  )
}

/** After a crash while sending, a mail may have arrived: it is not sent again and is marked `unknown`. */
function count(deliveries: Map<string, Delivery>, written: Written[], mails: SunkMail[]) {
  const arrivals = ({ mailId }: Written) => {
    const id = deliveries.get(mailId)?.messageIdHeader
    return id === undefined ? 0 : mails.filter(({ headers }) => headers.includes(id)).length
  }
  const isUncertain = ({ mailId }: Written) => deliveries.get(mailId)?.state === 'unknown'
  const lost = written.filter((one) => arrivals(one) === 0 && !isUncertain(one))
  const doubled = written.filter((one) => {
    const most = one.kind === 'sign-in code' ? one.attempts : 1
    return arrivals(one) > 1 || mails.filter(one.isAbout).length > most
  })
  return { lost, doubled, uncertain: written.filter(isUncertain).length }
}

/** A late retry with the same key gets the same answer, and sends no mail. */
async function mailNothingMore(t: ExecutionContext, world: World, written: Written[]): Promise<void> {
  const { sink } = world
  const repeated = written.filter(({ again }) => again !== undefined).slice(-20)
  const before = repeated.map(({ isAbout }) => sink.mails.filter(isAbout).length)
  for (const one of repeated) {
    const { answer, attempts } = await untilAnswered(() => one.again?.() ?? Promise.resolve(''))
    t.is(answer, one.mailId)
    one.attempts += attempts
    one.answers += 1
  }
  // Behind whatever the repeats may have queued.
  const last = await invite(world)
  await until(async () => sink.mails.some(last.isAbout))
  await untilHandled(world.s.stack, 'OUTGOING_MAIL')
  t.deepEqual(
    repeated.map(({ isAbout }) => sink.mails.filter(isAbout).length),
    before,
  )
}

/** A delivered code works, whatever was killed in between. */
async function signInWithSome(t: ExecutionContext, world: World, written: Written[]): Promise<void> {
  const { s, sink } = world
  const codes = written.filter(({ challenge, attempts }) => challenge !== undefined && attempts === 1)
  for (const { challenge = '', isAbout } of codes.slice(-5)) {
    const code = /\b\d{4} \d{4}\b/.exec(sink.mails.find(isAbout)?.raw ?? '')?.[0]
    if (code === undefined) continue // marked unknown, and not delivered
    const { session } = await s.as.site.finishSignIn({ challenge, code, userAgent: '' }).catch(ifUnanswered)
    t.not(session, '')
  }
}

/** An answered call is recorded once; an unanswered one at most once. */
async function requireRecords(t: ExecutionContext, world: World, written: Written[]): Promise<void> {
  const entries = databaseOf(world, 'auth').collection<{ credentialId: string; outcome: Outcome }>('audit_entries')
  for (const { key, attempts, answers } of written) {
    if (key === undefined) continue
    const rows = await entries.find({ credentialId: key.id }).toArray()
    const good = rows.filter(({ outcome }) => outcome === Outcome.OK).length
    t.true(good >= answers, `${answers} calls were answered and ${good} are on record`)
    t.true(rows.length <= attempts, `${rows.length} records of ${attempts} calls`)
  }
}

/** After an unanswered call, nobody knows whether the code was used. */
function ifUnanswered(error: unknown): { session: string | undefined } {
  if (error instanceof StatusError && /^(UNAVAILABLE|DEADLINE_EXCEEDED)$/.test(error.status))
    return { session: undefined }
  throw error
}

function anyAddress(): string {
  const { between } = createRandom()
  return `198.${between(18, 20)}.${between(0, 256)}.${between(1, 255)}`
}
