import { equal } from 'node:assert/strict'
import { join } from 'node:path'
import { startStack } from '@family-inbox/local-stack/stack'
import type { Flood, FloodFigures } from '../load/flood.ts'
import { startCpuMeter } from '../measure/cpu-meter.ts'
import type { Options } from '../measure/options.ts'
import { shuffled } from '../measure/statistics.ts'
import { startWorker } from '../measure/worker.ts'
import { ourPeer } from '../peers/peer.ts'
import { type HostileSample, hostileTable, summariseHostile } from '../report/hostile-table.ts'
import {
  ATTACKS,
  type Attack,
  type AttackFigures,
  type AttackName,
  type AttackOptions,
  LEAD_SECONDS,
} from '../world/attack-names.ts'
import { makeAttacker } from '../world/attacker.ts'
import { fillInbox } from '../world/fill-inbox.ts'
import { mintKeys } from '../world/mint-keys.ts'
import { toolRequest } from '../world/tool-request.ts'
import { makeWorkspace } from '../world/workspace.ts'

const MESSAGES = 1000
const CONNECTIONS = 16
const WARM_UP_SECONDS = 3
/** More than honest use, but cheap for the attacker's own process. */
const ATTACKS_PER_SECOND = 100

/**
 * Measures the cost of an attacker for others: a family's good answers per second, alone and next to each kind of attacker, one right
 * after the other. The attacker runs on the same machine, and its own cost counts as loss: the figures are upper bounds.
 */
export async function benchHostile({ rounds, seconds, keys: keyCount, quietly, say }: Options) {
  await using stack = await startStack({ env: { TOOL_CALLS_PER_MINUTE: '1000000' } })
  await using workspace = await makeWorkspace(stack)
  const { lovedOneId } = workspace
  await fillInbox(workspace, { lovedOneId, count: MESSAGES })
  const keys = await mintKeys(workspace, keyCount)
  const { worker } = await startWorker<Flood, FloodFigures, object>(join(import.meta.dirname, '../load/flood.ts'), {
    keys,
  })
  await using working = worker
  const options: AttackOptions = {
    apiUrl: stack.apiUrl,
    inboxUrl: stack.inboxUrl,
    smtp: stack.target.smtp,
    ...(await makeAttacker(stack, workspace)),
  }
  const file = join(import.meta.dirname, '../load/attack.ts')
  const { worker: attacker } = await startWorker<Attack, AttackFigures, object>(file, options)
  await using attacking = attacker
  const { origin, host, processes } = ourPeer(stack)
  const body = toolRequest('list_inbox_messages', { lovedOneId, limit: 20 })

  async function work(forSeconds: number): Promise<FloodFigures> {
    const flood = { origin, host, body, perSecond: 0, connections: CONNECTIONS, seconds: forSeconds }
    const figures = await working.ask(flood)
    equal(figures.strange, 0, `an unexpected answer: ${figures.firstStrange}`)
    return figures
  }

  async function compare(name: AttackName) {
    const attack = (forSeconds: number) => attacking.ask({ name, perSecond: ATTACKS_PER_SECOND, seconds: forSeconds })
    await attack(LEAD_SECONDS[name] ?? 0)
    const readCpu = startCpuMeter(processes, working.pid)
    const alone = await work(seconds)
    const { foreignCpus, stolenCpus } = readCpu()
    const [beside, { sent, seconds: took }] = await Promise.all([work(seconds), attack(seconds)])
    return { alone, beside, attackPerSecond: sent / took, foreignCpus, stolenCpus }
  }

  await work(WARM_UP_SECONDS)
  const samples: HostileSample[] = []
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}`)
    for (const name of shuffled([...ATTACKS]))
      samples.push({ round, attack: name, ...(await quietly(() => compare(name))) })
  }
  const summary = summariseHostile(samples)
  say(hostileTable(summary))
  return { summary, samples }
}
