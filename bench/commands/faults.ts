import { equal } from 'node:assert/strict'
import type { ProcessName } from '@family-inbox/local-stack/run-stack'
import { sendThroughFaults } from '../../tests/event-pipe/_faults.ts'
import { startPipeWorld } from '../../tests/event-pipe/_pipe.ts'
import type { Options } from '../options.ts'
import { table } from '../report/table.ts'

const SENDS = 20_000
const SENDERS = 64
const VICTIMS: ProcessName[] = ['pipe', 'care-circle', 'nats-server', 'mongod']
const PAUSE_MS = 10_000
const CALM_MS = 3000

/** Runs the test of the same name in full: every accepted event is on the timeline once, also after crashes and outages. */
export async function benchFaults({ say }: Options) {
  await using world = await startPipeWorld()
  const started = performance.now()
  const plan = { sends: SENDS, senders: SENDERS, victims: VICTIMS, pauseMs: PAUSE_MS, calmMs: CALM_MS, say }
  const { lost, doubled, phantom, ...figures } = await sendThroughFaults(world, plan)
  const seconds = Math.round((performance.now() - started) / 1000)
  const counts = { lost: lost.length, doubled: doubled.length, phantom: phantom.length }
  const shown = { sends: figures.sends, accepted: figures.accepted, retries: figures.retries, ...counts, seconds }
  say(`\nEvents sent while ${VICTIMS.join(', ')} were killed and paused, answers ${JSON.stringify(figures.statuses)}`)
  say(table([Object.keys(shown), Object.values(shown).map(String)]))
  equal(lost.length + doubled.length + phantom.length, 0, 'every accepted event must be on the timeline once')
  return { ...figures, lost, doubled, phantom, seconds }
}
