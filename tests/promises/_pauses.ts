import { setTimeout as sleep } from 'node:timers/promises'
import anyTest, { type ExecutionContext, type TestFn } from 'ava'
import { type Answer, send } from '../_family.ts'
import { type SecondGateway, startSecondGateway } from '../_second-gateway.ts'
import { type AuthStack, joinBehindGateway } from '../auth/_auth.ts'
import { signInMember } from '../auth/_people.ts'

type World = { s: AuthStack; second: SecondGateway }

const test = (anyTest as TestFn<World>).serial

/** Parallel trials, each with a family of its own. */
const LANES = 6

/** The serial tests of a file, on the shared stack with a second gateway. */
export function openPauses() {
  test.before(async (t) => {
    const s = await joinBehindGateway()
    t.context = { s, second: await startSecondGateway(s.stack, { TOOL_CALLS_PER_MINUTE: '1000000' }) }
  })
  test.after.always(async (t) => {
    await t.context.second?.[Symbol.asyncDispose]()
    await t.context.s?.[Symbol.asyncDispose]()
  })
  return test
}

type Pause = (paused: boolean, token: string) => Promise<unknown>

/** What is paused: one assistant, all of a person, or all of a family. */
export const PAUSES = {
  assistant:
    ({ s, keyId }) =>
    (paused, token) =>
      s.as.site.changeToolKey({ keyId, paused }, { token }),
  person:
    ({ s }) =>
    (ownPaused, token) =>
      s.careCircle.setAssistantSettings({ ownPaused }, { token }),
  family:
    ({ s }) =>
    (paused, token) =>
      s.careCircle.setAssistantSettings({ paused }, { token }),
} satisfies Record<string, (lane: Lane) => Pause>

type Lane = { s: AuthStack; keyId: string }

/** Reads and writes of every service. */
const CALLS: ((lovedOneId: string) => Call)[] = [
  () => ['ping', {}],
  () => ['list_family_members', {}],
  (lovedOneId) => ['list_inbox_messages', { lovedOneId }],
  (lovedOneId) => ['create_provider_code', { lovedOneId }],
  () => ['reply_to_inbox_message', { messageId: 'msg_unknown', body: 'Hello' }],
  (lovedOneId) => ['list_care_events', { lovedOneId }],
]

type Call = [tool: string, args: object]

/** Pauses and resumes while calls run through both gateways. Every call that starts after the answer must be refused. */
export async function pauseOften(
  t: ExecutionContext<World>,
  trials: number,
  enter: (lane: Lane) => Pause,
): Promise<void> {
  const { s, second } = t.context
  const { host, pathname } = new URL(`${s.stack.apiUrl}/mcp/v1`)
  const urls = [`${s.stack.apiUrl}${pathname}`, `http://${second.address}${pathname}`]
  let begun = 0
  let [answeredMeanwhile, refused] = [0, 0]
  const [late, stuck]: [string[], string[]] = [[], []]
  const lane = async () => {
    const person = await signInMember(s)
    const request = { name: 'Agent', scopes: [] }
    const { key, secret } = await s.as.site.mintToolKey(request, { token: await person.principal() })
    const pause = enter({ s, keyId: key?.id ?? '' })
    const { lovedOne } = await s.careCircle.addLovedOne({ name: 'Rosa Garcia' }, { token: await person.principal() })
    for (let nth = begun++; nth < trials; nth = begun++) {
      const token = await person.principal()
      const call = CALLS[nth % CALLS.length]?.(lovedOne?.id ?? '') ?? ['ping', {}]
      const callAll = () => Promise.all(urls.map((url) => callTool(url, host, secret, call)))
      const running = callAll()
      // The moment of the pause varies, from at once to after the answers.
      await (nth % 6 === 5 ? running : sleep(nth % 6))
      await pause(true, token)
      const afterwards = await callAll()
      late.push(...afterwards.filter((answer) => !isPaused(answer) && !isUnanswered(answer)).map(({ text }) => text))
      refused += afterwards.filter(isPaused).length
      answeredMeanwhile += (await running).filter(isGood).length
      await pause(false, token)
      stuck.push(...(await callAll()).filter(isPaused).map(({ text }) => text))
    }
  }
  // Each lane founds a family, so few trials take few lanes.
  await Promise.all(Array.from({ length: Math.min(LANES, Math.ceil(trials / 4)) }, lane))
  t.deepEqual(late, [])
  t.deepEqual(stuck, [], 'a resumed assistant works again')
  t.true(answeredMeanwhile > 0, 'no call was ever ahead of a pause')
  t.true(refused > trials, `${refused} of ${2 * trials} were refused, and the machine was too busy for the others`)
  t.log(`${trials} pauses; ${answeredMeanwhile} of ${2 * trials} calls that ran meanwhile were answered`)
}

function callTool(url: string, host: string, key: string, [name, args]: Call): Promise<Answer> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
  const headers = { host, 'content-type': 'application/json', authorization: `Bearer ${key}` }
  return send(url, { method: 'POST', headers, body: JSON.stringify(message) })
}

function isGood({ status, json }: Answer): boolean {
  return status === 200 && json?.result !== undefined && json.result.isError === undefined
}

function isPaused({ json }: Answer): boolean {
  return json?.result?.isError === true && /paused/.test(json.result.content[0].text)
}

/** Nothing was done, and the client is asked to try again. */
function isUnanswered({ json }: Answer): boolean {
  return json?.error?.code === -32_603
}
