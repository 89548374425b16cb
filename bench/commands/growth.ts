import { startStack } from '@family-inbox/local-stack/stack'
import { compareInTurn, comparisonTable } from '../load/compare-in-turn.ts'
import type { Options } from '../options.ts'
import { ourPeer } from '../peers/peer.ts'
import { askWell, toolRequest } from '../peers/tool-request.ts'
import { fillInbox } from '../world/fill-inbox.ts'
import { makeWorkspace } from '../world/workspace.ts'

const SMALL = 1000
const LARGE = 1_000_000

/** list_inbox_messages for two loved ones in turn, one with a thousand times the mail. */
export async function benchGrowth(options: Options) {
  await using stack = await startStack({
    env: { TOOL_CALLS_PER_MINUTE: '1000000', HTTP_MAX_CONNECTIONS_PER_PEER: '10000' },
  })
  await using workspace = await makeWorkspace(stack)
  const [small = '', large = ''] = workspace.family.lovedOnes.map(({ id }) => id)
  const started = performance.now()
  await fillInbox(workspace, { lovedOneId: small, count: SMALL, shorten: true })
  await fillInbox(workspace, { lovedOneId: large, count: LARGE, shorten: true })
  options.say(`${LARGE} messages inserted in ${((performance.now() - started) / 1000).toFixed(0)} s`)

  const peer = ourPeer(stack)
  const key = workspace.family.keys.owner
  const page = (lovedOneId: string) => () =>
    askWell(peer, key, toolRequest('list_inbox_messages', { lovedOneId, limit: 20 }))
  const pairs = [{ name: 'list_inbox_messages', small: page(small), large: page(large) }]
  const { summary, samples } = await compareInTurn(pairs, peer.processes, options)
  options.say(comparisonTable(`${SMALL} messages beside ${LARGE}`, summary))
  return { summary, samples }
}
