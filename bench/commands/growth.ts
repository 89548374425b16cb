import { startStack } from '@family-inbox/local-stack/stack'
import { type CallSample, startCallLoad } from '../load/measure-calls.ts'
import { shuffled, spreadOf } from '../measure/statistics.ts'
import type { Options } from '../options.ts'
import { ourPeer } from '../peers/peer.ts'
import { toolRequest } from '../peers/tool-request.ts'
import { shown, table } from '../report/table.ts'
import { fillInbox } from '../world/fill-inbox.ts'
import { makeHousehold } from '../world/household.ts'
import { mintKeys } from '../world/mint-keys.ts'

const SMALL = 1000
const LARGE = 1_000_000
const WARM_UP_SECONDS = 2

/** list_inbox_messages of two loved ones, one with a thousand times the mail of the other, taking turns. */
export async function benchGrowth({ rounds, seconds, keys: keyCount, quietly, say }: Options) {
  await using stack = await startStack()
  await using household = await makeHousehold(stack)
  const [small = '', large = ''] = household.family.lovedOnes.map(({ id }) => id)
  const started = performance.now()
  await fillInbox(household, { lovedOneId: small, count: SMALL, shorten: true })
  await fillInbox(household, { lovedOneId: large, count: LARGE, shorten: true })
  say(`${LARGE} messages inserted in ${((performance.now() - started) / 1000).toFixed(0)} s`)

  const keys = await mintKeys(household, keyCount)
  await using load = await startCallLoad(household, keys)
  const peer = ourPeer(stack)
  const inboxes = [
    { tool: `${SMALL} messages`, body: toolRequest('list_inbox_messages', { lovedOneId: small, limit: 20 }), peer },
    { tool: `${LARGE} messages`, body: toolRequest('list_inbox_messages', { lovedOneId: large, limit: 20 }), peer },
  ]
  for (const inbox of inboxes) await load.measure(inbox, WARM_UP_SECONDS)
  const samples: CallSample[] = []
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}`)
    for (const inbox of shuffled(inboxes))
      samples.push({ round, ...(await quietly(() => load.measure(inbox, seconds))) })
  }
  const summary = summarise(
    samples,
    inboxes.map(({ tool }) => tool),
  )
  say(growthTable(summary))
  return { summary, samples }
}

function summarise(samples: CallSample[], [small = '', large = '']: string[]) {
  const p50s = (tool: string) =>
    samples
      .filter((sample) => sample.tool === tool)
      .sort((a, b) => a.round - b.round)
      .map(({ p50Ms }) => p50Ms)
  const ratios = p50s(large).map((p50, round) => p50 / (p50s(small)[round] ?? Number.NaN))
  return { [small]: spreadOf(p50s(small)), [large]: spreadOf(p50s(large)), ratio: spreadOf(ratios) }
}

function growthTable(summary: ReturnType<typeof summarise>): string {
  const rows = Object.entries(summary).map(([name, spread]) => [name, shown(spread, 2)])
  return `\nlist_inbox_messages, 16 connections: median [min–max] of the rounds\n${table([['', 'p50 ms'], ...rows])}`
}
