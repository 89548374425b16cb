import { startStack } from '@family-inbox/local-stack/stack'
import { type EventSample, startEventLoad } from '../load/measure-events.ts'
import type { Options } from '../measure/options.ts'
import { shuffled } from '../measure/statistics.ts'
import { type EventServer, startEventServers } from '../peers/event-servers.ts'
import { eventTable, summariseEvents } from '../report/event-table.ts'
import { makeAgencies } from '../world/agencies.ts'
import { makeWorkspace } from '../world/workspace.ts'

const NO_LIMIT = { PIPE_EVENTS_PER_MINUTE: '1000000000', TOOL_CALLS_PER_MINUTE: '1000000' }
const AGENCIES = 4
const CONNECTIONS = 64
const WARM_UP_SECONDS = 3

/** Accepted events: ours and one Express process with the same writes, in turn. */
export async function benchEvents({ rounds, seconds, quietly, say }: Options) {
  await using stack = await startStack({ env: NO_LIMIT })
  await using workspace = await makeWorkspace(stack)
  const agencies = await makeAgencies(stack, workspace.family, AGENCIES)
  await using servers = await startEventServers(stack, workspace, agencies)
  const { ours, floor } = servers
  await using load = await startEventLoad(agencies)
  const peers: { server: EventServer; forged: boolean }[] = [
    { server: ours, forged: false },
    { server: floor, forged: false },
    { server: ours, forged: true },
  ]
  for (const { server, forged } of peers)
    await load.measure(server, { connections: CONNECTIONS, seconds: WARM_UP_SECONDS, forged })
  const samples: EventSample[] = []
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}`)
    for (const { server, forged } of shuffled(peers)) {
      const measured = await quietly(() => load.measure(server, { connections: CONNECTIONS, seconds, forged }))
      samples.push({ round, forged, ...measured })
    }
  }
  const summary = summariseEvents(samples)
  say(eventTable(summary))
  return { summary, samples }
}
