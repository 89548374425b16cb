import { newId } from '@family-inbox/service-kit/ids/ids'
import type { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import test, { type ExecutionContext } from 'ava'
import { connectTo } from '../auth/_auth.ts'
import { codeIn, mailsTo, newEmail } from '../auth/_people.ts'
import { type PipeWorld, startPipeWorld } from '../event-pipe/_pipe.ts'

const ROUNDS = 40
/** Below this, the network between the processes decides. */
const FLOOR_MS = 2

let world: PipeWorld
test.before(async () => {
  world = await startPipeWorld()
})
test.after.always(() => world?.[Symbol.asyncDispose]())

test.serial('another family’s id takes as long as one that does not exist', async (t) => {
  const { family, another, call } = world
  const [lovedOneId, stranger] = [family.lovedOnes[0]?.id ?? '', await another({ withMail: true })]
  const strangersId = stranger.lovedOnes[0]?.id ?? ''
  const list = { lovedOneId: strangersId }
  const theirs = (await call(stranger.keys.owner, 'list_inbox_messages', list)).json.result.structuredContent
  const messageId = theirs.messages[0].id
  const ask = (tool: string, args: object) => () => call(family.keys.viewer, tool, args)
  const read = (id: string) => ask('get_inbox_message', { lovedOneId, messageId: id })
  await takeAsLong(
    t,
    ask('list_inbox_messages', list),
    ask('list_inbox_messages', { lovedOneId: newId('lo') }),
    'list_inbox_messages',
  )
  await takeAsLong(t, read(messageId), read(newId('msg')), 'get_inbox_message')
})

test.serial('an unknown institution takes as long as a wrong secret', async (t) => {
  const agency = await world.addAgency()
  const payload = { caregiver_id: 'c-1', note_text: 'x'.repeat(200_000) }
  const event = agency.event(await world.link(agency), { event_type: 'note_added', payload })
  await takeAsLong(
    t,
    () => agency.post(event, { secret: 'wrong' }),
    () => agency.post(event, { headers: { 'X-Pipe-Institution': 'nobody' } }),
    'an event',
  )
})

test.serial('a nearly correct code takes as long as any other', async (t) => {
  await using auth = await connectTo(world.stack, world.stack.inboxUrl, { [Symbol.asyncDispose]: async () => {} })
  const { site } = auth.as
  const guesses = { near: [] as (() => Promise<void>)[], far: [] as (() => Promise<void>)[] }
  for (let round = 0; round < ROUNDS / 2; round += 1) {
    const email = newEmail()
    const { challenge } = await site.startSignIn({ email, clientAddress: `192.0.2.${round}` })
    const right = codeIn((await mailsTo(auth, email))[0]).replace(' ', '')
    const change = (at: number) => right.slice(0, at) + ((Number(right[at]) + 1) % 10) + right.slice(at + 1)
    const guess = (code: string) => async () => {
      const error: StatusError = await t.throwsAsync(site.finishSignIn({ challenge, code, userAgent: '' }))
      t.is(error.detail.field, 'code')
    }
    guesses.near.push(guess(change(7)), guess(change(6)))
    guesses.far.push(guess([...right].map((digit) => (Number(digit) + 5) % 10).join('')), guess(change(0)))
  }
  const next = (from: (() => Promise<void>)[]) => () => from.shift()?.() ?? Promise.reject(new Error('too few guesses'))
  await takeAsLong(t, next(guesses.near), next(guesses.far), 'a code')
})

/** By the medians of rounds in turn. A factor of two tells nobody anything over a network. */
async function takeAsLong(
  t: ExecutionContext,
  one: () => Promise<unknown>,
  other: () => Promise<unknown>,
  what: string,
): Promise<void> {
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    // What comes first may always take longer.
    const turns = round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)
    for (const turn of turns) times[turn].push(await timeOf([one, other][turn] ?? one))
  }
  const [a, b] = [median(times[0]), median(times[1])]
  t.log(`${what}: ${a.toFixed(2)} ms and ${b.toFixed(2)} ms`)
  t.true(Math.max(a, b) < 2 * Math.min(a, b) + FLOOR_MS, `${what}: ${a} ms and ${b} ms`)
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}
