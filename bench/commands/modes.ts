import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Message, messageRowId } from '@family-inbox/inbox/models/message'
import type { Stack } from '@family-inbox/local-stack/run-stack'
import type { Processes } from '@family-inbox/local-stack/services'
import { startStack } from '@family-inbox/local-stack/stack'
import { type CallSample, startCallLoad } from '../load/measure-calls.ts'
import { type EventSample, startEventLoad } from '../load/measure-events.ts'
import { npmSetup } from '../measure/npm-start.ts'
import type { Options } from '../measure/options.ts'
import { startAndStop } from '../measure/start-and-stop.ts'
import { shuffled } from '../measure/statistics.ts'
import { requireAgreement } from '../peers/agree.ts'
import { type EventServer, startEventServers } from '../peers/event-servers.ts'
import { ourPeer, type Peer, startReference } from '../peers/peer.ts'
import { MODES, type ModeSamples, modesTable, summariseMode } from '../report/modes-table.ts'
import { makeAgencies } from '../world/agencies.ts'
import { fillInbox } from '../world/fill-inbox.ts'
import { mintKeys } from '../world/mint-keys.ts'
import { askOnce, toolRequest } from '../world/tool-request.ts'
import { makeWorkspace, type Workspace } from '../world/workspace.ts'

const MESSAGES = 2000
const BODY_CHARACTERS = 8 * 1024
const AGENCIES = 4
const EVENT_CONNECTIONS = 64
const WARM_UP_SECONDS = 8
const STARTS = 3
const KILLS = 3
/** The supervisor restarts a process at once if it ran longer than 2 s. */
const STABLE_MS = 3000
const POLL_MS = 20
const NO_EVENT_LIMIT = { PIPE_EVENTS_PER_MINUTE: '1000000000' }

/** Compares one process and seven: calls against reference S, events against the floor, idle memory and start. */
export async function benchModes(options: Options) {
  await npmSetup()
  const samples: ModeSamples[] = []
  for (const processes of MODES)
    samples.push({ processes, ...(await measureLoad(processes, options)), ...(await measureStarts(processes)) })
  const summary = Object.fromEntries(samples.map((sample) => [sample.processes, summariseMode(sample)]))
  options.say(modesTable(summary))
  return { summary, samples }
}

async function measureLoad(processes: Processes, { rounds, seconds, keys: keyCount, quietly, say }: Options) {
  await using stack = await startStack({ processes, env: NO_EVENT_LIMIT })
  await using workspace = await makeWorkspace(stack)
  const { lovedOneId } = workspace
  await fillInbox(workspace, { lovedOneId, count: MESSAGES })
  const messageId = await addLongMessage(workspace)
  const keys = await mintKeys(workspace, keyCount)
  await using s = await startReference('S', stack, workspace.databases)
  const agencies = await makeAgencies(stack, workspace.family, AGENCIES)
  await using servers = await startEventServers(stack, workspace, agencies)
  await using callLoad = await startCallLoad(workspace, keys)
  await using eventLoad = await startEventLoad(agencies)
  const tools = {
    list_inbox_messages: toolRequest('list_inbox_messages', { lovedOneId, limit: 20 }),
    get_inbox_message: toolRequest('get_inbox_message', { lovedOneId, messageId }),
    ping: toolRequest('ping', {}),
  }
  const peers = [ourPeer(stack), s]
  await requireAgreement(peers, workspace, Object.values(tools))

  const calls: CallSample[] = []
  const events: EventSample[] = []
  const measureCalls = (tool: string, body: string, peer: Peer) => async (round: number, length: number) => {
    calls.push({ round, ...(await quietly(() => callLoad.measure({ tool, body, peer }, length))) })
  }
  const measureEvents = (server: EventServer) => async (round: number, length: number) => {
    const posts = { connections: EVENT_CONNECTIONS, seconds: length }
    events.push({ round, forged: false, ...(await quietly(() => eventLoad.measure(server, posts))) })
  }
  // Those compared run one right after the other: the machine's speed changes within seconds.
  const comparisons = [
    ...Object.entries(tools).map(([tool, body]) => peers.map((peer) => measureCalls(tool, body, peer))),
    [servers.ours, servers.floor].map(measureEvents),
  ]
  for (const task of comparisons.flat()) await task(0, WARM_UP_SECONDS)
  for (let round = 1; round <= rounds; round += 1) {
    say(`${processes}: round ${round} of ${rounds}`)
    for (const task of shuffled(comparisons).flatMap(shuffled)) await task(round, seconds)
  }
  const isMeasured = ({ round }: { round: number }) => round > 0
  const recoverySeconds = []
  for (let kill = 1; kill <= KILLS; kill += 1) recoverySeconds.push(await recover(stack, keys[0] ?? '', tools.ping))
  return { calls: calls.filter(isMeasured), events: events.filter(isMeasured), recoverySeconds }
}

/** Seconds from SIGKILL of the gateway's process until a call is answered. */
async function recover(stack: Stack, key: string, body: string): Promise<number> {
  await sleep(STABLE_MS)
  const before = stack.deaths('gateway')
  const killedAt = performance.now()
  stack.kill('gateway')
  const isBack = async () =>
    stack.deaths('gateway') > before && (await askOnce(ourPeer(stack), key, body)).status === 200
  while (!(await isBack().catch(() => false))) await sleep(POLL_MS)
  return (performance.now() - killedAt) / 1000
}

/** The first start creates the demo family and fills the compile cache, so it does not count. */
async function measureStarts(processes: Processes) {
  const dataDir = mkdtempSync(join(tmpdir(), 'family-inbox-bench-'))
  try {
    await startAndStop(dataDir, { processes })
    const starts = []
    for (let start = 1; start <= STARTS; start += 1)
      starts.push(await startAndStop(dataDir, { processes, seesMemory: start === STARTS }))
    return { startSeconds: starts.map(({ seconds }) => seconds), memory: starts.at(-1)?.memory ?? {} }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** @returns its id */
async function addLongMessage({ sampleRows, lovedOneId, collection }: Workspace): Promise<string> {
  const { indexPending: _, authenticityPending: _pending, ...sample } = sampleRows[0] as Message
  const id = `msg_${randomBytes(16).toString('hex')}`
  const text = sample.text.repeat(Math.ceil(BODY_CHARACTERS / sample.text.length)).slice(0, BODY_CHARACTERS)
  const row = { ...sample, lovedOneId, text, receivedAt: new Date(0) }
  await collection<Message>('inbox', 'messages').insertOne({ ...row, _id: messageRowId(row, id) })
  return id
}
