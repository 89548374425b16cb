import type { CareEvent } from '@family-inbox/care-circle/models/care-event'
import { startStack } from '@family-inbox/local-stack/stack'
import { compareInTurn, comparisonTable, type Pair } from '../load/compare-in-turn.ts'
import type { Options } from '../options.ts'
import { ourPeer } from '../peers/peer.ts'
import { askWell, toolRequest } from '../peers/tool-request.ts'
import { makeAgencies } from '../world/agencies.ts'
import { fillTimeline } from '../world/fill-timeline.ts'
import { postEvent } from '../world/post-event.ts'
import { makeWorkspace } from '../world/workspace.ts'

const SMALL = 1000
const LARGE = 1_000_000

/** list_care_events for two loved ones in turn, one with a thousand times the events. */
export async function benchTimeline(options: Options) {
  await using stack = await startStack({
    env: { TOOL_CALLS_PER_MINUTE: '1000000', HTTP_MAX_CONNECTIONS_PER_PEER: '10000' },
  })
  await using workspace = await makeWorkspace(stack)
  const agencies = await makeAgencies(stack, workspace.family, 2)
  const peer = ourPeer(stack)
  const [few, many] = await Promise.all(agencies.map((agency) => postEvent(workspace, peer, agency)))
  const started = performance.now()
  await fillTimeline(workspace, few as CareEvent, SMALL)
  await fillTimeline(workspace, many as CareEvent, LARGE)
  options.say(`${LARGE} events inserted in ${((performance.now() - started) / 1000).toFixed(0)} s`)

  const key = workspace.family.keys.owner
  const page = (more: object) => {
    const [small, large] = agencies.map(({ lovedOneId }) => {
      const call = toolRequest('list_care_events', { lovedOneId, limit: 20, ...more })
      return () => askWell(peer, key, call)
    })
    return { small, large } as Pick<Pair, 'small' | 'large'>
  }
  const pairs = [
    { name: 'newest 20', ...page({}) },
    { name: 'newest of a rare type', ...page({ limit: 1, types: ['visit_started'] }) },
  ]
  const { summary, samples } = await compareInTurn(pairs, peer.processes, options)
  options.say(comparisonTable(`list_care_events, ${SMALL} events beside ${LARGE}`, summary))
  return { summary, samples }
}
