import { startStack } from '@family-inbox/local-stack/stack'
import { type CallSample, startCallLoad } from '../load/measure-calls.ts'
import { shuffled, spreadOf } from '../measure/statistics.ts'
import type { Options } from '../options.ts'
import { ourPeer } from '../peers/peer.ts'
import { toolRequest } from '../peers/tool-request.ts'
import { shown, table } from '../report/table.ts'
import { fillInbox } from '../world/fill-inbox.ts'
import { mintKeys } from '../world/mint-keys.ts'
import { makeWorkspace } from '../world/workspace.ts'

const MESSAGES = 1000
const WARM_UP_SECONDS = 2
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** list_inbox_messages with a handshake revision of MCP and with 2026-07-28, in turn. */
export async function benchEras({ rounds, seconds, keys, quietly, say }: Options) {
  await using stack = await startStack()
  await using workspace = await makeWorkspace(stack)
  const values = { lovedOneId: workspace.lovedOneId, limit: 20 }
  await fillInbox(workspace, { lovedOneId: workspace.lovedOneId, count: MESSAGES })
  await using load = await startCallLoad(workspace, await mintKeys(workspace, keys))
  const eras = [
    { tool: 'legacy', body: toolRequest('list_inbox_messages', values) },
    { tool: 'modern', body: toolRequest('list_inbox_messages', values, META) },
  ].map((era) => ({ ...era, peer: ourPeer(stack) }))
  for (const era of eras) await load.measure(era, WARM_UP_SECONDS)
  const samples: CallSample[] = []
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}`)
    for (const era of shuffled(eras)) samples.push({ round, ...(await quietly(() => load.measure(era, seconds))) })
  }
  const costs = (era: string) => samples.filter(({ tool }) => tool === era).map(({ cpuUsPerCall }) => cpuUsPerCall)
  const [legacy, modern] = [costs('legacy'), costs('modern')]
  const ratio = spreadOf(modern.map((cost, round) => cost / (legacy[round] ?? Number.NaN)))
  const summary = { legacy: spreadOf(legacy), modern: spreadOf(modern), ratio }
  const rows = Object.entries(summary).map(([name, spread]) => [name, shown(spread, 2)])
  say(
    `\nProcessor µs a call: median [min–max] of the rounds; the ratio should be at most 1.05\n${table([['', ''], ...rows])}`,
  )
  return { summary, samples }
}
