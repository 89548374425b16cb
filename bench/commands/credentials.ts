import type { Stack } from '@family-inbox/local-stack/run-stack'
import { type StackOptions, startStack } from '@family-inbox/local-stack/stack'
import { type CallSample, startCallLoad } from '../load/measure-calls.ts'
import { shuffled } from '../measure/statistics.ts'
import type { Options } from '../options.ts'
import { ourPeer } from '../peers/peer.ts'
import { toolRequest } from '../peers/tool-request.ts'
import { credentialTables, KINDS, type Kind, type Store, summariseCredentials } from '../report/credential-tables.ts'
import { connectApplication, type Step } from '../world/connect-application.ts'
import { type Household, makeHousehold } from '../world/household.ts'
import { mintKeys } from '../world/mint-keys.ts'
import { mintSessions } from '../world/mint-sessions.ts'
import { mintTokens } from '../world/mint-tokens.ts'

const CROWD = 100_000
const BATCH = 10_000
const FLOWS = 60
const WARM_UP_SECONDS = 2
/** All come from this machine, which is one network. */
const LIMITS_LIFTED = { OAUTH_REQUESTS_PER_MINUTE: '1000000', REGISTRATIONS_PER_HOUR: '1000000' }

/**
 * The same calls with a key, a token and a session, in a store that holds few of them and in one that holds 100,000 of each;
 * and the steps by which an application is connected. All take turns.
 */
export async function benchCredentials({ rounds, seconds, keys, quietly, say }: Options) {
  await using few = await openStore('few', keys)
  await using many = await openStore('many', keys, { MONGODB_URI: few.stack.mongoUri })
  const started = performance.now()
  for (let made = 0; made < CROWD; made += BATCH) await fill(many, BATCH)
  say(`${CROWD} keys, sessions and tokens inserted in ${((performance.now() - started) / 1000).toFixed(0)} s`)

  const samples: (CallSample & { kind: Kind; store: Store })[] = []
  const runs = [few, many].flatMap(({ runs }) => runs)
  for (const run of runs) await run.measure(WARM_UP_SECONDS)
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}`)
    for (const { measure, ...run } of shuffled(runs))
      samples.push({ round, ...run, ...(await quietly(() => measure(seconds))) })
  }
  const flows = await connectMany(few.stack, few.household)
  const summary = summariseCredentials(samples, flows)
  say(credentialTables(summary))
  return { summary, samples, flows }
}

type World = AsyncDisposable & {
  stack: Stack
  household: Household
  token: string
  runs: { kind: Kind; store: Store; measure(seconds: number): Promise<Omit<CallSample, 'round' | 'isNoisy'>> }[]
}

/** A system of its own with credentials of each kind, and what calls with them: any tool in the small one, ping in both. */
async function openStore(store: Store, count: number, env: StackOptions['env'] = {}): Promise<World> {
  const cleanUp = new AsyncDisposableStack()
  const databasePrefix = store === 'many' ? 'many_' : ''
  const stack = cleanUp.use(await startStack({ env: { ...LIMITS_LIFTED, ...env }, databasePrefix }))
  const household = cleanUp.use(await makeHousehold(stack))
  const [session = ''] = await mintSessions(household, 1)
  const { token } = await connectApplication(stack, session, household.family.workspaceId)
  const pages = { origin: stack.inboxUrl }
  const loads = {
    key: cleanUp.use(await startCallLoad(household, await mintKeys(household, count))),
    token: cleanUp.use(await startCallLoad(household, await mintTokens(household, token, count))),
    session: cleanUp.use(await startCallLoad(household, await mintSessions(household, count), pages)),
  }
  const { lovedOneId } = household
  const tools = {
    ping: toolRequest('ping', {}),
    ...(store === 'few' && { list_inbox_messages: toolRequest('list_inbox_messages', { lovedOneId, limit: 20 }) }),
  }
  const runs = Object.entries(tools).flatMap(([tool, body]) =>
    KINDS.map((kind) => ({
      kind,
      store,
      measure: (seconds: number) => {
        const peer = ourPeer(stack, kind === 'session' ? stack.inboxUrl : stack.apiUrl)
        return loads[kind].measure({ peer, tool, body }, seconds)
      },
    })),
  )
  return { stack, household, token, runs, [Symbol.asyncDispose]: () => cleanUp.disposeAsync() }
}

async function fill({ household, token }: World, count: number): Promise<void> {
  await mintKeys(household, count, false)
  await mintSessions(household, count, false)
  await mintTokens(household, token, count, false)
}

async function connectMany(stack: Stack, household: Household): Promise<Record<Step, number>[]> {
  const [session = ''] = await mintSessions(household, 1)
  const flows = []
  for (let flow = 0; flow < FLOWS; flow += 1)
    flows.push((await connectApplication(stack, session, household.family.workspaceId)).tookMs)
  return flows
}
