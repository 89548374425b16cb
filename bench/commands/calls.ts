import { startStack } from '@family-inbox/local-stack/stack'
import { type CallSample, startCallLoad } from '../load/measure-calls.ts'
import type { Options } from '../measure/options.ts'
import { shuffled } from '../measure/statistics.ts'
import { requireAgreement } from '../peers/agree.ts'
import { ourPeer, startReference } from '../peers/peer.ts'
import { callTables, summarise } from '../report/call-tables.ts'
import { fillInbox } from '../world/fill-inbox.ts'
import { mintKeys } from '../world/mint-keys.ts'
import { toolRequest } from '../world/tool-request.ts'
import { makeWorkspace } from '../world/workspace.ts'

const MESSAGES = 10_000
const WARM_UP_SECONDS = 2

/** list_inbox_messages and ping: ours, reference F and reference S, in turn on the same data. */
export async function benchCalls({ rounds, seconds, keys: keyCount, quietly, say }: Options) {
  // The references read what is stored.
  await using stack = await startStack({ env: { KEY_ENCRYPTION_KEYS: '[]' } })
  await using workspace = await makeWorkspace(stack)
  const { lovedOneId } = workspace
  await fillInbox(workspace, { lovedOneId, count: MESSAGES })
  const keys = await mintKeys(workspace, keyCount)
  await using f = await startReference('F', stack, workspace.databases)
  await using s = await startReference('S', stack, workspace.databases)
  const peers = [ourPeer(stack), s, f]
  const tools = {
    list_inbox_messages: toolRequest('list_inbox_messages', { lovedOneId, limit: 20 }),
    ping: toolRequest('ping', {}),
  }
  await requireAgreement(peers, workspace, Object.values(tools))

  await using load = await startCallLoad(workspace, keys)
  const pairs = Object.entries(tools).flatMap(([tool, body]) => peers.map((peer) => ({ tool, body, peer })))
  for (const pair of pairs) await load.measure(pair, WARM_UP_SECONDS)
  const samples: CallSample[] = []
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}`)
    for (const pair of shuffled(pairs)) samples.push({ round, ...(await quietly(() => load.measure(pair, seconds))) })
  }
  const summary = summarise(samples)
  say(callTables(summary))
  return { summary, samples }
}
