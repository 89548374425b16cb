import { equal } from 'node:assert/strict'
import { join } from 'node:path'
import type { AuditEntry } from '@family-inbox/auth/models/audit-entry'
import { startCpuMeter } from '../measure/cpu-meter.ts'
import type { Noise } from '../measure/quiet.ts'
import { startWorker } from '../measure/worker.ts'
import type { Peer } from '../peers/peer.ts'
import { askOnce } from '../world/tool-request.ts'
import type { Workspace } from '../world/workspace.ts'
import type { CallFigures, CallLoad } from './call-load.ts'

const CONNECTIONS = 16

export type CallMeasurement = CallFigures &
  Noise & {
    peer: Peer['name']
    tool: string
    callsPerSecond: number
    /** Processor time per call, in the peer and MongoDB. */
    cpuUsPerCall: number
    cpuUsPerCallByProcess: Record<string, number>
    /** Processor time of the caller per call; the same for all peers. */
    loadCpuUsPerCall: number
  }

export type CallSample = CallMeasurement & { round: number; isNoisy: boolean }

/** Starts the process that calls. Each measurement checks that every call was recorded. */
export async function startCallLoad({ collection }: Workspace, keys: string[]) {
  const file = join(import.meta.dirname, 'call-load.ts')
  const { worker } = await startWorker<CallLoad, CallFigures, object>(file, { keys })
  const recorded = () => collection<AuditEntry>('auth', 'audit_entries').estimatedDocumentCount()

  async function measure(
    { peer, tool, body }: { peer: Peer; tool: string; body: string },
    seconds: number,
  ): Promise<CallMeasurement> {
    const expected = await rightAnswer(peer, keys[0] ?? '', body)
    const recordedBefore = await recorded()
    const readCpu = startCpuMeter(peer.processes, worker.pid)
    const { origin, host } = peer
    const connections = CONNECTIONS
    const figures = await worker.ask({ origin, host, body, expected, connections, seconds })
    const { byProcess, totalUs, loadUs, foreignCpus, stolenCpus } = readCpu()
    const { calls, errors, firstError } = figures
    equal(errors, 0, `${peer.name} answered ${tool} wrongly: ${firstError}`)
    equal((await recorded()) - recordedBefore, calls, `${peer.name} must record every call of ${tool}`)
    return {
      ...figures,
      peer: peer.name,
      tool,
      callsPerSecond: calls / figures.seconds,
      cpuUsPerCall: totalUs / calls,
      cpuUsPerCallByProcess: mapValues(byProcess, (us) => us / calls),
      loadCpuUsPerCall: loadUs / calls,
      foreignCpus,
      stolenCpus,
    }
  }

  return { pid: worker.pid, measure, [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose]() }
}

/** Every later answer must have the same bytes. */
async function rightAnswer(peer: Peer, key: string, body: string): Promise<string> {
  const { status, text } = await askOnce(peer, key, body)
  equal(status, 200, `${peer.name}: ${text.slice(0, 300)}`)
  return text
}

function mapValues(record: Record<string, number>, to: (value: number) => number): Record<string, number> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, to(value)]))
}
