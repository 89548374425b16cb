import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessName, Stack } from '@family-inbox/local-stack/run-stack'
import { startStack } from '@family-inbox/local-stack/stack'
import { MongoClient } from 'mongodb'
import { operatorUri } from '../../tests/_database.ts'
import { type CallSample, startCallLoad } from '../load/measure-calls.ts'
import { startCpuMeter } from '../measure/cpu-meter.ts'
import { shuffled, spreadOf } from '../measure/statistics.ts'
import type { Options } from '../options.ts'
import type { SandboxDatabases } from '../peers/bare-starts.ts'
import { ourPeer, processesNamed } from '../peers/peer.ts'
import { toolRequest } from '../peers/tool-request.ts'
import { shown, table } from '../report/table.ts'
import { fillInbox } from '../world/fill-inbox.ts'
import { fillExpiredSandboxes } from '../world/fill-sandboxes.ts'
import { mintKeys } from '../world/mint-keys.ts'
import { makeWorkspace } from '../world/workspace.ts'

const EXPIRED = 1_000_000
const MESSAGES = 1000
const WARM_UP_SECONDS = 2

type SweepSample = CallSample & { isSweeping: boolean; swept: number }

/** list_inbox_messages with and without a sweep of a million expired sandboxes, in turn. */
export async function benchSweep({ rounds, seconds, keys: keyCount, quietly, say }: Options) {
  await using stack = await startStack()
  await using workspace = await makeWorkspace(stack)
  const { lovedOneId } = workspace
  await fillInbox(workspace, { lovedOneId, count: MESSAGES })
  const databases: SandboxDatabases = {
    sandbox: operatorUri(stack, 'sandbox'),
    careCircle: operatorUri(stack, 'care-circle'),
    inbox: operatorUri(stack, 'inbox'),
  }
  await using client = Object.assign(new MongoClient(databases.sandbox), {
    [Symbol.asyncDispose]: () => client.close(),
  })
  await stack.pause('sandbox')
  const started = performance.now()
  const sandboxes = await fillExpiredSandboxes(client, databases, EXPIRED)
  say(`${EXPIRED} expired sandboxes inserted in ${((performance.now() - started) / 1000).toFixed(0)} s`)

  const keys = await mintKeys(workspace, keyCount)
  await using load = await startCallLoad(workspace, keys)
  const calls = {
    tool: 'list_inbox_messages',
    body: toolRequest('list_inbox_messages', { lovedOneId, limit: 20 }),
    peer: ourPeer(stack),
  }
  async function measure(isSweeping: boolean) {
    if (isSweeping) stack.resume('sandbox')
    else await stack.pause('sandbox')
    const before = await sandboxes.estimatedDocumentCount()
    const sample = await load.measure(calls, seconds)
    return { ...sample, isSweeping, swept: before - (await sandboxes.estimatedDocumentCount()) }
  }

  await load.measure(calls, WARM_UP_SECONDS)
  const samples: SweepSample[] = []
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}`)
    for (const isSweeping of shuffled([true, false]))
      samples.push({ round, ...(await quietly(() => measure(isSweeping))) })
  }
  stack.resume('sandbox')
  const summary = { ...summarise(samples), cpusForSweepingAlone: await cpusUsed(stack, seconds) }
  say(sweepTable(summary))
  return { summary, samples }
}

/** Processors that a sweep uses on an idle system. */
async function cpusUsed(stack: Stack, seconds: number): Promise<number> {
  const processes = processesNamed(stack, SWEEPING)
  const readCpu = startCpuMeter(processes, process.pid)
  await sleep(seconds * 1000)
  return readCpu().totalUs / (seconds * 1_000_000)
}

const SWEEPING: ProcessName[] = ['sandbox', 'care-circle', 'inbox', 'mongod']

const FIGURES = ['callsPerSecond', 'p50Ms', 'p99Ms', 'cpuUsPerCall'] as const

function summarise(samples: SweepSample[]) {
  const of = (isSweeping: boolean) =>
    samples.filter((sample) => sample.isSweeping === isSweeping).sort((a, b) => a.round - b.round)
  const [sweeping, still] = [of(true), of(false)]
  const spreads = (some: SweepSample[]) =>
    Object.fromEntries(FIGURES.map((figure) => [figure, spreadOf(some.map((sample) => sample[figure]))]))
  const ratio = (figure: (typeof FIGURES)[number]) =>
    spreadOf(sweeping.map((sample, round) => sample[figure] / (still[round]?.[figure] ?? Number.NaN)))
  const perSecond = spreadOf(sweeping.map(({ swept, seconds }) => swept / seconds))
  const ratios = Object.fromEntries(FIGURES.map((figure) => [figure, ratio(figure)]))
  return { sweeping: spreads(sweeping), still: spreads(still), ratio: ratios, sweptPerSecond: perSecond }
}

function sweepTable(summary: ReturnType<typeof summarise> & { cpusForSweepingAlone: number }): string {
  const { sweptPerSecond, cpusForSweepingAlone, ...servers } = summary
  const rows = Object.entries(servers).map(([name, spreads]) => [
    name,
    ...FIGURES.map((figure) => (spreads[figure] ? shown(spreads[figure], 2) : '')),
  ])
  return [
    '\nlist_inbox_messages, 16 connections: median [min–max] of the rounds',
    table([['', 'calls/s', 'p50 ms', 'p99 ms', 'CPU µs/call'], ...rows]),
    `  sandboxes swept a second: ${shown(sweptPerSecond, 0)}; sweeping alone uses ${cpusForSweepingAlone.toFixed(2)} processors`,
  ].join('\n')
}
