import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@family-inbox/local-stack/wait-for'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import anyTest, { type ExecutionContext, type TestFn } from 'ava'
import type { MongoClient } from 'mongodb'
import { databaseName, openDatabase } from '../_database.ts'
import { type Family, send, startFamily } from '../_family.ts'
import { type Sink, startMailSink } from '../_mail-sink.ts'
import { createRandom, scaled } from '../_random.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { callTool, mintKey } from './_approval.ts'
import { openTrap, STEPS, type Step, type Trap, VICTIMS, type Victim } from './_invitation-steps.ts'

type Members = { owner: Visitor; coordinator: Visitor }
type World = Members & { f: Family; sink: Sink; mongo: MongoClient; trap: Trap; key: string }

const test = (anyTest as TestFn<World>).serial

const PRESSES = scaled(12, 250)
const CLICKS = 4
/** After each step the service that took it is killed, and others as well after each of so many steps. */
const OTHERS_AFTER_EACH = scaled(2, 1)
const MOST_OTHERS = scaled(1, VICTIMS.length)
const ROUNDS = scaled(1, 3)
const SETTLED_WITHIN_MS = 90_000
const AGAIN_MS = 100
const HEAD_START_MS = 40
/** Longer than the notice of an arrival takes to kill the sender. */
const SERVER_TAKES_MS = 300

test.before(async ({ context }) => {
  context.sink = await startMailSink(async ({ to }) => {
    const [id = ''] = to
    if (!id.endsWith('@guest.example')) return undefined
    context.trap.notice({ in: 'mail server', id, isNew: true, set: {}, unset: [] })
    await sleep(SERVER_TAKES_MS)
    return undefined
  })
  const env = {
    SMTP_URL: context.sink.url,
    INVITATIONS_PER_DAY: '1000',
    NEW_FAMILY_INVITATIONS_PER_DAY: '1000',
    INVITATIONS_PER_NETWORK: '1001',
  }
  context.f = await startFamily({ separate: VICTIMS, env })
  context.mongo = await openDatabase(context.f.stack)
  context.trap = await openTrap(context.f, context.mongo)
  const { f, sink } = context
  context.owner = await signIn(f, sink, f.family.people.owner)
  context.coordinator = await signIn(f, sink, f.family.people.coordinator)
  context.key = await mintKey(context.owner, 'approval')
})
test.after.always(async ({ context }) => {
  await context.trap?.[Symbol.asyncDispose]()
  await context.mongo?.close()
  await context.f?.[Symbol.asyncDispose]()
  await context.sink?.[Symbol.asyncDispose]()
})

/** What an assistant asks for. The same call again tells what became of it. */
function newInvitation(): { email: string; role: string; idempotencyKey: string } {
  const email = `${randomText(12)}@guest.example`
  return { email, role: 'viewer', idempotencyKey: email }
}
type Asked = ReturnType<typeof newInvitation>

async function ask({ f, key }: World, asked: Asked): Promise<{ id: string; status: string }> {
  const { data, text } = await insist(() => callTool(f, key, 'invite_family_member', asked))
  if (data.proposalId === undefined) throw new Error(`refused: ${text}`)
  return { id: data.proposalId, status: String(data.status) }
}

type Decision = 'send' | 'decline'

/** What the page says afterwards. Pressed again while a service is away, as a person does who saw an error. */
async function press(visitor: Visitor, id: string, decision: Decision): Promise<string> {
  return insist(async () => {
    const { status, headers, text } = await visitor.submit(`/approvals/invitations/${id}`, { message: '', decision })
    if (status >= 500) throw new Error(`${status}`)
    const [, flash] = /family_flash=([\w-]+)/.exec(String(headers['set-cookie'])) ?? []
    return flash ?? `${status}: ${/class="error[^>]*>([^<]+)/.exec(text)?.[1] ?? headers.location}`
  })
}

/** Calls again until there is an answer. */
async function insist<T>(call: () => Promise<T>): Promise<T> {
  for (const giveUpAt = Date.now() + SETTLED_WITHIN_MS; ; await sleep(AGAIN_MS)) {
    try {
      return await call()
    } catch (error) {
      if (Date.now() > giveUpAt) throw error
    }
  }
}

const SAID = { send: 'invitation-sent', decline: 'proposal-declined' } as const
const STATUS = { send: 'sent', decline: 'declined' } as const

const databaseOf = ({ mongo, f }: World, service: 'care-circle' | 'inbox' | 'auth') =>
  mongo.db(databaseName(f.stack, service))

const mailsTo = ({ sink }: World, { email }: Asked) => sink.mails.filter(({ to }) => to.includes(email))

/** Of proposals in a day, and of forms in a minute. They are not the subject here. */
async function forgetLimits(world: World): Promise<void> {
  await databaseOf(world, 'auth').collection('rate_limits').deleteMany({})
  const counts = databaseOf(world, 'care-circle').collection<{ _id: string }>('mail_allowances')
  await counts.deleteMany({ _id: /^proposals\// as never })
}

/** Waits until the fate of the mail is known. One that was being sent at the kill may have arrived, so nobody sends it again. */
async function fateOf(world: World, asked: Asked): Promise<'mailed' | 'unknown'> {
  const invitations = databaseOf(world, 'care-circle').collection<{ _id: string }>('invitations')
  const deliveries = databaseOf(world, 'inbox').collection<{ _id: string; state: string }>('deliveries')
  return waitFor(
    async () => {
      const invitation = await invitations.findOne({ email: asked.email })
      const delivery = invitation && (await deliveries.findOne({ _id: `${invitation._id}-1` }))
      if (delivery?.state === 'unknown') return 'unknown'
      return delivery?.state === 'sent' ? 'mailed' : undefined
    },
    { timeoutMs: SETTLED_WITHIN_MS, timeout: () => new Error(`${asked.email} got no mail`) },
  )
}

async function untilQueueIsEmpty({ f }: World): Promise<void> {
  await waitFor(
    async () => {
      const { text } = await send(f.stack.metricsUrls.inbox ?? '').catch(() => ({ text: '' }))
      return /^family_inbox_mail_queue_waiting 0$/m.test(text) || undefined
    },
    { timeoutMs: SETTLED_WITHIN_MS, timeout: () => new Error('mails stay in the queue') },
  )
}

test('two members click Send again and again: both read that the invitation was sent, and one mail arrives', async (t) => {
  const world = t.context
  const random = createRandom()
  t.log(`TEST_SEED=${random.seed}`)
  const all: Asked[] = []
  for (let nth = 0; nth < PRESSES; nth += 1) {
    await forgetLimits(world)
    const asked = newInvitation()
    const { id } = await ask(world, asked)
    // A later one may meet the invitation of the first during its checks.
    const clicks = [world.owner, world.coordinator].flatMap((member) =>
      Array.from({ length: CLICKS }, () =>
        sleep(random.between(0, HEAD_START_MS)).then(() => press(member, id, 'send')),
      ),
    )
    t.deepEqual(new Set(await Promise.all(clicks)), new Set([SAID.send]))
    all.push(asked)
  }
  for (const asked of all) t.is(await fateOf(world, asked), 'mailed')
  await untilQueueIsEmpty(world)
  for (const asked of all) t.is(mailsTo(world, asked).length, 1)
})

test('one member sends an invitation and another declines it at the same moment: what the page says is what happened', async (t) => {
  const world = t.context
  const random = createRandom()
  t.log(`TEST_SEED=${random.seed}`)
  const ended: [Asked, Decision][] = []
  for (let nth = 0; nth < PRESSES; nth += 1) {
    await forgetLimits(world)
    const asked = newInvitation()
    const { id } = await ask(world, asked)
    // Sending begins with more checks.
    const decline = () => sleep(random.between(0, HEAD_START_MS)).then(() => press(world.coordinator, id, 'decline'))
    const said = await Promise.all([press(world.owner, id, 'send'), decline()])
    const decision = said[0] === SAID.send ? 'send' : 'decline'
    t.deepEqual(said, decision === 'send' ? [SAID.send, 'proposal-gone'] : ['proposal-gone', SAID.decline])
    t.is((await ask(world, asked)).status, STATUS[decision])
    ended.push([asked, decision])
  }
  for (const [asked, decision] of ended) if (decision === 'send') t.is(await fateOf(world, asked), 'mailed')
  await untilQueueIsEmpty(world)
  for (const [asked, decision] of ended) t.is(mailsTo(world, asked).length, decision === 'send' ? 1 : 0)
  t.log(`${ended.filter(([, decision]) => decision === 'send').length} of ${PRESSES} were sent`)
})

test('whatever is killed at any step of an invitation, it is mailed once if a member sent it, and never if one declined it', async (t) => {
  const world = t.context
  const random = createRandom()
  t.log(`TEST_SEED=${random.seed}`)
  const kills = planKills(random)
  const ended: Ended[] = []
  for (const [nth, [step, victim]] of kills.entries()) {
    const decision = step.phase === 'decline' || (step.phase === 'propose' && nth % 3 === 2) ? 'decline' : 'send'
    ended.push(await killOnce(t, { step, victim, decision }))
  }
  const fates: Record<string, number> = {}
  for (const { asked, decision } of ended) {
    const fate = decision === 'send' ? await fateOf(world, asked) : 'declined'
    fates[fate] = (fates[fate] ?? 0) + 1
  }
  await untilQueueIsEmpty(world)
  for (const one of ended) await requireOnce(t, one)
  t.log(`${kills.length} kills: ${JSON.stringify(fates)}`)
})

type Kill = { step: Step; victim: Victim; decision: Decision }
type Ended = Kill & { asked: Asked; id: string }

function planKills(random: ReturnType<typeof createRandom>): [Step, Victim][] {
  const first = random.between(0, OTHERS_AFTER_EACH)
  return Array.from({ length: ROUNDS }, () => STEPS)
    .flat()
    .flatMap((step, nth) => {
      const others = random.shuffled(VICTIMS.filter((victim) => victim !== step.by)).slice(0, MOST_OTHERS)
      const more = nth % OTHERS_AFTER_EACH === first ? others : []
      return [step.by, ...more].map((victim): [Step, Victim] => [step, victim])
    })
}

/** Proposes and decides, with two members who press at the same moment, while a service is killed at a step. */
async function killOnce(t: ExecutionContext<World>, { step, victim, decision }: Kill): Promise<Ended> {
  const world = t.context
  const what = `${victim} killed when ${step.name}`
  await forgetLimits(world)
  const asked = newInvitation()
  let killed = step.phase === 'propose' ? world.trap.set(step, victim, ['']) : undefined
  const { id, status } = await ask(world, asked)
  t.is(status, 'waiting_for_approval', what)
  t.is(mailsTo(world, asked).length, 0, `${what}: nothing is mailed before a member decides`)
  // The invitation and its mail have ids that derive from the proposal's.
  killed ??= world.trap.set(step, victim, [id.replace('invp_', ''), asked.email])
  const both = [world.owner, world.coordinator]
  const said = await Promise.all(both.map((member) => press(member, id, decision)))
  t.deepEqual(said, [SAID[decision], SAID[decision]], what)
  await untilKilled(killed, what)
  await world.f.stack.waitReady()
  const again = await ask(world, asked)
  t.deepEqual(again, { id, status: STATUS[decision] }, `${what}: the same call tells what became of it`)
  // Only a death of the sender may leave a mail unknown; the next kill may be one.
  if (decision === 'send' && victim !== 'inbox') t.is(await fateOf(world, asked), 'mailed', what)
  return { step, victim, decision, asked, id }
}

/** Else the test would pass without a kill. */
async function untilKilled(killed: Promise<void>, what: string): Promise<void> {
  const timer = new AbortController()
  const late = sleep(SETTLED_WITHIN_MS, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`never ${what}`)
  })
  late.catch(() => {})
  await Promise.race([killed, late])
  timer.abort()
}

async function requireOnce(t: ExecutionContext<World>, { step, victim, decision, asked, id }: Ended): Promise<void> {
  const world = t.context
  const what = `${victim} killed when ${step.name}, and ${decision}`
  const careCircle = databaseOf(world, 'care-circle')
  const { email, idempotencyKey } = asked
  const sent = decision === 'send' ? 1 : 0
  t.is(await careCircle.collection('invitation_proposals').countDocuments({ idempotencyKey }), 1, what)
  t.is(await careCircle.collection('invitations').countDocuments({ email }), sent, what)
  const isUncertain = sent === 1 && (await fateOf(world, asked)) === 'unknown'
  const mails = mailsTo(world, asked).length
  t.true(mails === sent || (isUncertain && mails === 0), `${what}: ${mails} mails`)
  const proposals = careCircle.collection<{ _id: string; state: string }>('invitation_proposals')
  await waitFor(async () => (await proposals.findOne({ _id: id, state: STATUS[decision] })) ?? undefined, {
    timeoutMs: SETTLED_WITHIN_MS,
    timeout: () => new Error(`${what}: the proposal is not marked`),
  })
}
