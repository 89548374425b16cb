import type { ExecutionContext } from 'ava'
import type { Answer } from '../_family.ts'
import type { AuthStack } from '../auth/_auth.ts'
import { signInMember } from '../auth/_people.ts'
import { bearer, callTool, inLanes, isGood, isUnanswered, routesTo, untilEnded, type World } from './_two-gateways.ts'

/** Parallel trials, each with a family of its own. */
const LANES = 6

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
  const routes = routesTo(`${s.stack.apiUrl}/mcp/v1`, second)
  let [answeredMeanwhile, refused] = [0, 0]
  const [late, stuck]: [string[], string[]] = [[], []]
  await inLanes(trials, LANES, async () => {
    const person = await signInMember(s)
    const request = { name: 'Agent', scopes: [] }
    const { key, secret } = await s.as.site.mintToolKey(request, { token: await person.principal() })
    const pause = enter({ s, keyId: key?.id ?? '' })
    const { lovedOne } = await s.careCircle.addLovedOne({ name: 'Rosa Garcia' }, { token: await person.principal() })
    return async (nth) => {
      const token = await person.principal()
      const [tool, args] = CALLS[nth % CALLS.length]?.(lovedOne?.id ?? '') ?? ['ping', {}]
      const callAll = () => routes.map((route) => callTool(route, bearer(secret), tool, args))
      const running = callAll()
      // The moment of the pause varies, from at once to after the last answer.
      await untilEnded(running, nth % (running.length + 1))
      await pause(true, token)
      const afterwards = await Promise.all(callAll())
      late.push(...afterwards.filter((answer) => !isPaused(answer) && !isUnanswered(answer)).map(({ text }) => text))
      refused += afterwards.filter(isPaused).length
      answeredMeanwhile += (await Promise.all(running)).filter(isGood).length
      await pause(false, token)
      stuck.push(...(await Promise.all(callAll())).filter(isPaused).map(({ text }) => text))
    }
  })
  t.deepEqual(late, [])
  t.deepEqual(stuck, [], 'a resumed assistant works again')
  t.true(answeredMeanwhile > 0, 'no call was ever ahead of a pause')
  t.true(refused > trials, `${refused} of ${2 * trials} were refused, and the machine was too busy for the others`)
  t.log(`${trials} pauses; ${answeredMeanwhile} of ${2 * trials} calls that ran meanwhile were answered`)
}

function isPaused({ json }: Answer): boolean {
  return json?.result?.isError === true && /paused/.test(json.result.content[0].text)
}
