import { setTimeout as sleep } from 'node:timers/promises'
import type { Collector, Span } from '../../tests/operations/_collector.ts'

/** The cost of a page: calls of the site and in how many waves, calls between the services behind it, and database commands. */
export type PageCalls = { calls: number; waves: number; between: number; commands: number }

/** Services send their spans every second. */
const UNTIL_SENT_MS = 4000
const CLIENT = 3
/** Spans begin at a whole millisecond and end at a nanosecond. */
const START_RESOLUTION_NS = 1_000_000n

/** @param requestIds of each page, by its name, answered a moment ago */
export async function countCalls(
  { spans }: Pick<Collector, 'spans'>,
  requestIds: Record<string, string>,
): Promise<Record<string, PageCalls>> {
  await sleep(UNTIL_SENT_MS)
  return Object.fromEntries(Object.entries(requestIds).map(([page, id]) => [page, countIn(traceOf(spans, id))]))
}

function traceOf(spans: readonly Span[], requestId: string): Span[] {
  const first = spans.find(({ attributes }) => attributes['family_inbox.request_id'] === requestId)
  return spans.filter(({ traceId }) => traceId === first?.traceId)
}

function countIn(trace: readonly Span[]): PageCalls {
  const commands = trace.filter(({ attributes }) => attributes['db.system.name'] === 'mongodb')
  const calls = trace.filter(({ name, kind }) => kind === CLIENT && name.startsWith('familyinbox.'))
  const own = calls.filter(({ service }) => service === 'site')
  const between = calls.length - own.length
  return { calls: own.length, waves: wavesOf(own), between, commands: commands.length }
}

/** The longest row of calls of which each began after the one before had ended. */
function wavesOf(calls: readonly Span[]): number {
  const byEnd = calls.toSorted((a, b) => Number(BigInt(a.endTimeUnixNano) - BigInt(b.endTimeUnixNano)))
  let [waves, lastEnd] = [0, 0n]
  for (const { startTimeUnixNano, endTimeUnixNano } of byEnd) {
    if (BigInt(startTimeUnixNano) + START_RESOLUTION_NS <= lastEnd) continue
    waves += 1
    lastEnd = BigInt(endTimeUnixNano)
  }
  return waves
}
