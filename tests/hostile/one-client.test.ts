import { once } from 'node:events'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { signedHeaders } from '@family-inbox/ops/events/send-event'
import ava from 'ava'
import { type Answer, type SendOptions, send } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { untilPageAnswered } from '../_outcome.ts'
import type { SharedStack } from '../_shared-stack.ts'
import { signIn } from '../_visitor.ts'
import { type Agency, joinPipeWorld, type PipeWorld } from '../event-pipe/_pipe.ts'
import { agentAtWork } from './_others-at-work.ts'

/** Serial: each test is one attacker, with a network of its own. */
const test = ava.serial
/** More than one client may waste at once. */
const FLOOD = 150
const MOST_TRIES = 1000

let world: PipeWorld<SharedStack> & { sink: Sink }
ava.before(async () => {
  world = await joinPipeWorld()
})
ava.after.always(() => world?.[Symbol.asyncDispose]())

test('someone who is refused again and again has to wait, and nobody else does', async (t) => {
  const from = '127.0.14.1'
  const others = agentAtWork(world, await world.another({ withMail: true, others: ['coordinator', 'viewer'] }))
  await whileFlooding(
    () => register({ from }),
    async () => {
      const asBrowser = await refusalOf(() => send(inbox('/sign-in'), { from, headers: { accept: 'text/html' } }))
      t.regex(asBrowser?.text ?? '', /Nothing was changed\. Try again in \d seconds?\./)
      t.regex(String(asBrowser?.headers['retry-after']), /^\d$/)
      const asProgram = await refusalOf(() =>
        send(inbox('/sign-in'), { from, headers: { accept: 'application/json' } }),
      )
      t.like(asProgram, { json: { error: { code: 'rate_limited' } } })
      const asApp = await refusalOf(() => register({ from }))
      t.is(asApp?.json.error, 'temporarily_unavailable')
      t.is((await register({ from: '127.0.14.2' })).status, 400)
      for (let times = 0; times < 30; times += 1) t.true(others.isGood(await others.ask()))
    },
  )
})

test('a signed-in person reads on while their network is refused', async (t) => {
  const from = '127.0.14.3'
  const { cookie } = await signIn(world, world.sink, world.family.people.owner)
  const read = (session: string) => send(inbox('/'), { from, headers: { cookie: session } })
  // A flood may keep the machine busy, for everyone.
  const readInTime = () => untilPageAnswered(() => read(cookie))
  const known = await read(cookie)
  t.is(known.status, 200)
  t.false('x-session-accepted' in known.headers)
  await whileFlooding(
    () => register({ from }),
    async () => {
      t.truthy(await refusalOf(() => read('')))
      t.truthy(await refusalOf(() => read('family_session=made-up')))
      for (let times = 0; times < 30; times += 1) t.is((await readInTime()).status, 200)
    },
  )
})

test('an assistant calls on while made-up keys are refused in its network', async (t) => {
  const from = '127.0.14.4'
  const { owner, viewer } = world.family.keys
  t.is((await ping(owner, from)).status, 200)
  let nth = 0
  await whileFlooding(
    () => ping(`sk-sand-${nth++}`, from),
    async () => {
      const refused = await refusalOf(() => ping('sk-sand-another', from))
      t.like(refused, { json: { id: 1, error: { code: -32029 } } })
      t.is(String(refused?.json.error.data.retryAfterSec), String(refused?.headers['retry-after']))
      for (let times = 0; times < 30; times += 1) t.is((await ping(owner, from)).status, 200)
    },
  )
  t.is(await untilStatus(200, () => ping(viewer, from)), 200, 'a good key is heard once the flood is over')
})

test('an agency whose events are accepted keeps sending while forged ones come from its network', async (t) => {
  const from = '127.0.14.5'
  const [agency, newcomer] = [await world.addAgency(), await world.addAgency()]
  const subjects = new Map([
    [agency, await world.link(agency)],
    [newcomer, await world.link(newcomer)],
  ])
  const post = (sender: Agency, secret = sender.secret) => {
    const body = JSON.stringify(sender.event(subjects.get(sender) ?? ''))
    return send(world.url, { method: 'POST', body, headers: signedHeaders(sender.institutionId, secret, body), from })
  }
  t.is((await post(agency)).status, 202)
  await whileFlooding(
    () => post(newcomer, 'made-up'),
    async () => {
      for (let times = 0; times < 10; times += 1) t.is((await post(agency)).status, 202)
      const refused = await refusalOf(() => post(newcomer, 'made-up'))
      t.like(refused, { json: { error: { code: 'rate_limited' } } })
      t.regex(String(refused?.headers['retry-after']), /^\d$/)
    },
  )
  t.is(await untilStatus(202, () => post(newcomer)), 202)
})

test('someone who keeps leaving before the answer has to wait, and their family does not', async (t) => {
  const from = '127.0.14.6'
  const { owner, coordinator } = world.family.people
  const attacker = await signIn(world, world.sink, coordinator)
  const relative = await signIn(world, world.sink, owner)
  const read = (cookie: string) => send(inbox('/'), { from, headers: { cookie } })
  t.is((await read(attacker.cookie)).status, 200)
  t.is((await read(relative.cookie)).status, 200)
  const left = () => leaveEarly({ from, headers: { cookie: attacker.cookie } })
  await Promise.all(Array.from({ length: FLOOD }, left))
  const flood = setInterval(left, 20)
  t.teardown(() => clearInterval(flood))
  t.truthy(await refusalOf(() => read(attacker.cookie)))
  for (let times = 0; times < 10; times += 1) t.is((await read(relative.cookie)).status, 200)
})

test('requests of the machine itself are not limited', async (t) => {
  for (let times = 0; times < FLOOD; times += 1) t.is((await register({})).status, 400)
})

/** Floods until the attacker is refused, then keeps flooding while `work` runs. */
async function whileFlooding(ask: () => Promise<Answer>, work: () => Promise<void>): Promise<void> {
  let isOver = false
  const lane = async () => {
    while (!isOver) await ask()
  }
  const lanes = Array.from({ length: 4 }, lane)
  try {
    await untilStatus(429, ask)
    await work()
  } finally {
    isOver = true
    await Promise.all(lanes)
  }
}

/** @returns the first answer with 429 */
async function refusalOf(ask: () => Promise<Answer>): Promise<Answer | undefined> {
  for (let times = 0; times < MOST_TRIES; times += 1) {
    const answer = await ask()
    if (answer.status === 429) return answer
  }
  return undefined
}

/** @returns the last status: the one waited for, unless it never came */
async function untilStatus(status: number, ask: () => Promise<Answer>): Promise<number> {
  let last = (await ask()).status
  for (let times = 0; times < MOST_TRIES && last !== status; times += 1) {
    await sleep(10)
    last = (await ask()).status
  }
  return last
}

/** Refused: a redirect must be a URI. */
function register({ from }: SendOptions): Promise<Answer> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ redirect_uris: ['nowhere'] })
  return send(inbox('/oauth/register'), { method: 'POST', headers, body, ...(from && { from }) })
}

function ping(key: string, from: string): Promise<Answer> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  return send(`${world.stack.apiUrl}/mcp/v1`, { method: 'POST', headers, body, from })
}

/** Asks for a page and hangs up. */
async function leaveEarly({ from = '', headers = {} }: SendOptions): Promise<void> {
  const outgoing = request(inbox('/'), { headers, agent: false, localAddress: from, family: 4 })
  outgoing.on('error', () => {})
  outgoing.end()
  await once(outgoing, 'finish')
  await sleep(5)
  outgoing.destroy()
}

function inbox(path: string): string {
  return new URL(path, world.stack.inboxUrl).href
}
