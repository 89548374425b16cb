import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { quantile } from '../measure/statistics.ts'
import type { Agency } from '../world/agencies.ts'
import { signedEvent } from '../world/signed-event.ts'
import { askOnce, toolRequest } from '../world/tool-request.ts'

/** A separate type, so that other events do not push it off the first page. */
const PROBE = 'probe'
const EVERY_MS = 100
const GIVE_UP_MS = 10_000

export type Readable = { events: number; p50Ms: number; p99Ms: number; maxMs: number }

type Door = { origin: string; host: string }

/**
 * Time from an event's 202 until list_care_events returns it. An agency posts one every 100 ms, and an agent asks without pause.
 * The time of the answer counts, so the figure is an upper bound.
 */
export async function measureReadable(door: Door, agency: Agency, key: string, seconds: number): Promise<Readable> {
  const times: number[] = []
  const underWay: Promise<void>[] = []
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await sleep(EVERY_MS))
    underWay.push(timeOf(door, agency, key).then((ms) => void times.push(ms)))
  await Promise.all(underWay)
  const sorted = times.sort((a, b) => a - b)
  const [p50Ms, p99Ms, maxMs] = [0.5, 0.99, 1].map((share) => quantile(sorted, share)) as [number, number, number]
  return { events: sorted.length, p50Ms, p99Ms, maxMs }
}

async function timeOf({ origin, host }: Door, agency: Agency, key: string): Promise<number> {
  const { headers, body } = signedEvent(agency, PROBE)
  const posted = await request(`${origin}/pipe/v1/events`, { method: 'POST', headers: { host, ...headers }, body })
  const { event_id } = (await posted.body.json()) as { event_id?: string }
  const accepted = performance.now()
  if (posted.statusCode !== 202 || event_id === undefined) throw new Error(`answered ${posted.statusCode}`)
  const call = toolRequest('list_care_events', { lovedOneId: agency.lovedOneId, limit: 50, types: [PROBE] })
  while (performance.now() - accepted < GIVE_UP_MS) {
    const { text } = await askOnce({ origin, host }, key, call)
    if (text.includes(event_id)) return performance.now() - accepted
  }
  throw new Error('an accepted event cannot be read')
}
