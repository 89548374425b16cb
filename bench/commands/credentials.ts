import type { Stack } from '@family-inbox/local-stack/run-stack'
import { type StackOptions, startStack } from '@family-inbox/local-stack/stack'
import { compareInTurn, comparisonTable } from '../load/compare-in-turn.ts'
import { type CallSample, startCallLoad } from '../load/measure-calls.ts'
import { shuffled } from '../measure/statistics.ts'
import type { Options } from '../options.ts'
import { ourPeer } from '../peers/peer.ts'
import { askWell, toolRequest } from '../peers/tool-request.ts'
import { credentialTables, KINDS, type Kind, summariseCredentials } from '../report/credential-tables.ts'
import { connectApplication, type Step } from '../world/connect-application.ts'
import { mintKeys } from '../world/mint-keys.ts'
import { mintSessions } from '../world/mint-sessions.ts'
import { mintTokens } from '../world/mint-tokens.ts'
import { makeWorkspace, type Workspace } from '../world/workspace.ts'

const CROWD = 100_000
const BATCH = 10_000
const FLOWS = 60
const WARM_UP_SECONDS = 2
const PING = toolRequest('ping', {})
/** All requests come from one network. */
const LIMITS_LIFTED = { OAUTH_REQUESTS_PER_MINUTE: '1000000', REGISTRATIONS_PER_HOUR: '1000000' }

/**
 * The same calls with a key, a token and a session, in a store with few of them and in one with 100,000 of each, in turn; and the
 * steps that connect an app.
 */
export async function benchCredentials(options: Options) {
  const { rounds, seconds, keys, quietly, say } = options
  await using few = await openStore('', keys)
  await using many = await openStore('many_', keys, { MONGODB_URI: few.stack.mongoUri })
  const started = performance.now()
  for (let made = 0; made < CROWD; made += BATCH) await fill(many, BATCH)
  say(`${CROWD} keys, sessions and tokens inserted in ${((performance.now() - started) / 1000).toFixed(0)} s`)

  await using cleanUp = new AsyncDisposableStack()
  const runs = await startRuns(few, cleanUp)
  // Warm up both: a process is slow until its code is compiled.
  for (const { measure } of [...runs, ...(await startRuns(many, cleanUp))]) await measure(WARM_UP_SECONDS)
  const pairs = KINDS.map((kind) => ({ name: kind, small: pingsOf(few, kind), large: pingsOf(many, kind) }))
  const growth = await compareInTurn(pairs, ourPeer(few.stack).processes, options)

  const samples: (CallSample & { kind: Kind })[] = []
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}`)
    for (const { measure, ...run } of shuffled(runs))
      samples.push({ round, ...run, ...(await quietly(() => measure(seconds))) })
  }
  const flows = await connectMany(few.stack, few.workspace)
  const summary = summariseCredentials(samples, flows)
  say(credentialTables(summary))
  say(comparisonTable(`ping, few credentials and ${CROWD} keys, sessions and tokens`, growth.summary))
  return { summary, samples, flows, growth }
}

type World = AsyncDisposable & { stack: Stack; workspace: Workspace; token: string; secrets: Record<Kind, string[]> }

async function openStore(databasePrefix: string, count: number, env: StackOptions['env'] = {}): Promise<World> {
  const cleanUp = new AsyncDisposableStack()
  const stack = cleanUp.use(await startStack({ env: { ...LIMITS_LIFTED, ...env }, databasePrefix }))
  const workspace = cleanUp.use(await makeWorkspace(stack))
  const [session = ''] = await mintSessions(workspace, 1)
  const { token } = await connectApplication(stack, session, workspace.family.workspaceId)
  const secrets = {
    key: await mintKeys(workspace, count),
    token: await mintTokens(workspace, token, count),
    session: await mintSessions(workspace, count),
  }
  return { stack, workspace, token, secrets, [Symbol.asyncDispose]: () => cleanUp.disposeAsync() }
}

type Run = { kind: Kind; measure(seconds: number): Promise<Omit<CallSample, 'round' | 'isNoisy'>> }

async function startRuns({ stack, workspace, secrets }: World, cleanUp: AsyncDisposableStack): Promise<Run[]> {
  const { lovedOneId } = workspace
  const tools = { ping: PING, list_inbox_messages: toolRequest('list_inbox_messages', { lovedOneId, limit: 20 }) }
  const runs = KINDS.map(async (kind) => {
    const { peer, pages } = doorOf(stack, kind)
    const load = cleanUp.use(await startCallLoad(workspace, secrets[kind], pages))
    return Object.entries(tools).map(([tool, body]) => ({
      kind,
      measure: (seconds: number) => load.measure({ peer, tool, body }, seconds),
    }))
  })
  return (await Promise.all(runs)).flat()
}

function pingsOf({ stack, secrets }: World, kind: Kind): () => Promise<void> {
  const { peer, pages } = doorOf(stack, kind)
  let turn = 0
  return () => askWell(peer, secrets[kind][turn++ % secrets[kind].length] ?? '', PING, pages)
}

function doorOf(stack: Stack, kind: Kind) {
  if (kind !== 'session') return { peer: ourPeer(stack) }
  return { peer: ourPeer(stack, stack.inboxUrl), pages: { origin: stack.inboxUrl } }
}

async function fill({ workspace, token }: World, count: number): Promise<void> {
  await mintKeys(workspace, count, false)
  await mintSessions(workspace, count, false)
  await mintTokens(workspace, token, count, false)
}

async function connectMany(stack: Stack, workspace: Workspace): Promise<Record<Step, number>[]> {
  const [session = ''] = await mintSessions(workspace, 1)
  const flows = []
  for (let flow = 0; flow < FLOWS; flow += 1)
    flows.push((await connectApplication(stack, session, workspace.family.workspaceId)).tookMs)
  return flows
}
