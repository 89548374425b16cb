import { equal } from 'node:assert/strict'
import { join } from 'node:path'
import { startStack } from '@family-inbox/local-stack/stack'
import type { Flood, FloodFigures } from '../load/flood.ts'
import { type CpuReading, startCpuMeter } from '../measure/cpu-meter.ts'
import type { Options } from '../measure/options.ts'
import { startWorker } from '../measure/worker.ts'
import { ourPeer } from '../peers/peer.ts'
import { type OverloadSample, overloadTable, summariseOverload } from '../report/overload-table.ts'
import { fillInbox } from '../world/fill-inbox.ts'
import { mintKeys } from '../world/mint-keys.ts'
import { toolRequest } from '../world/tool-request.ts'
import { makeWorkspace } from '../world/workspace.ts'

const MESSAGES = 1000
const WARM_UP_SECONDS = 3
/** The number of connections with the highest throughput. */
const AT_CAPACITY = 32
const FLOOD_CONNECTIONS = 1024
const TIMES = 4
/** An overload is not a burst: its first seconds count, too. */
const SECONDS_OF_FLOOD = 3

/** Good answers per second at capacity and at four times the load, in turn. The caller uses the same processors, so its share is shown. */
export async function benchOverload({ rounds, seconds, keys: keyCount, quietly, say }: Options) {
  await using stack = await startStack({
    env: { TOOL_CALLS_PER_MINUTE: '1000000', HTTP_MAX_CONNECTIONS_PER_PEER: '10000' },
  })
  await using workspace = await makeWorkspace(stack)
  const { lovedOneId } = workspace
  await fillInbox(workspace, { lovedOneId, count: MESSAGES })
  const keys = await mintKeys(workspace, keyCount)
  const { worker } = await startWorker<Flood, FloodFigures, object>(join(import.meta.dirname, '../load/flood.ts'), {
    keys,
  })
  await using _worker = worker
  const { origin, host, processes } = ourPeer(stack)
  const body = toolRequest('list_inbox_messages', { lovedOneId, limit: 20 })

  async function measure(perSecond: number, connections: number, forSeconds: number) {
    const readCpu = startCpuMeter(processes, worker.pid)
    const figures = await worker.ask({ origin, host, body, perSecond, connections, seconds: forSeconds })
    equal(figures.strange, 0, `an unexpected answer: ${figures.firstStrange}`)
    return { ...figures, ...perGood(readCpu(), figures), offeredPerSecond: perSecond }
  }

  await measure(0, AT_CAPACITY, WARM_UP_SECONDS)
  const samples: OverloadSample[] = []
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}`)
    const peak = await quietly(() => measure(0, AT_CAPACITY, seconds))
    const offered = Math.ceil(TIMES * (peak.good / peak.seconds))
    const flood = await quietly(() => measure(offered, FLOOD_CONNECTIONS, SECONDS_OF_FLOOD * seconds))
    samples.push({ round, peak, flood })
  }
  const summary = summariseOverload(samples)
  say(overloadTable(summary))
  return { summary, samples }
}

function perGood({ byProcess, totalUs, loadUs, foreignCpus, stolenCpus }: CpuReading, { seconds }: FloodFigures) {
  const cpus = (us: number) => us / 1e6 / seconds
  const ours = Object.fromEntries(Object.entries(byProcess).map(([name, us]) => [name, cpus(us)]))
  return { cpusByProcess: ours, cpus: cpus(totalUs), loadCpus: cpus(loadUs), foreignCpus, stolenCpus }
}
