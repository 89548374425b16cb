import ICAL from 'ical.js'
import { type EventTime, readTimes, toEventTime } from './event-times.ts'
import { findOccurrence } from './find-occurrence.ts'

const DAY_MS = 86_400_000
/** Earlier occurrences of a series are history. */
const BEFORE_MS = 31 * DAY_MS
/** A series without an end is shown for two years, or until the next mail about it. */
const AFTER_MS = 2 * 366 * DAY_MS
const MAX_STARTS = 400
/** A daily series of 50 years. A worker thread also limits the time. */
const MAX_STEPS = 20_000

/** The starts of a series that matter now, in order, in milliseconds. */
export function expandSeries(event: ICAL.Component, start: EventTime, now: number): number[] {
  const named = (name: string) => readTimes(event, name).map((time) => findOccurrence(time, start))
  const excluded = new Set(named('exdate'))
  const isWanted = (at: number) => at >= now - BEFORE_MS && !excluded.has(at)
  const starts = new Set(named('rdate').filter(isWanted))
  if (isWanted(start.at)) starts.add(start.at)
  const rules = event.getAllProperties('rrule').flatMap((one) => one.getFirstValue() as unknown)
  for (const rule of rules) {
    if (!(rule instanceof ICAL.Recur)) continue
    for (const at of occurrences(rule, start, now)) {
      if (starts.size >= MAX_STARTS) break
      if (isWanted(at)) starts.add(at)
    }
  }
  return [...starts].sort((a, b) => a - b).slice(0, MAX_STARTS)
}

/** UNTIL is a moment, while the rule counts what clocks at the place show: the two meet only as moments. */
function* occurrences(rule: ICAL.Recur, start: EventTime, now: number): Generator<number> {
  const until = rule.until ? untilOf(rule.until, start) : Number.POSITIVE_INFINITY
  const last = Math.min(until, now + AFTER_MS)
  const counted = rule.clone()
  counted.until = null
  const first = start.time.clone()
  first.zone = ICAL.Timezone.localTimezone
  const iterator = counted.iterator(first)
  const soon = now - BEFORE_MS - 2 * DAY_MS
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const wall = nextOf(iterator)
    if (wall === null || wall === undefined) return
    // Converting a time from its zone costs more than the step.
    if (Date.UTC(wall.year, wall.month - 1, wall.day) < soon) continue
    const at = start.toMoment(wall)
    if (at > last) return
    yield at
  }
}

/** The library gives up on some rules that repeat a day. What it found until then stays. */
function nextOf(iterator: ICAL.RecurIterator): ICAL.Time | null {
  try {
    return iterator.next() as ICAL.Time | null
  } catch {
    return null
  }
}

function untilOf(until: ICAL.Time, start: EventTime): number {
  if (start.kind === 'day') return lastDay(until, start)
  if (!until.isDate) {
    return until.zone === ICAL.Timezone.utcTimezone ? until.toUnixTime() * 1000 : start.toMoment(until)
  }
  const endOfDay = until.clone()
  endOfDay.isDate = false
  endOfDay.hour = 23
  endOfDay.minute = 59
  endOfDay.second = 59
  return start.toMoment(endOfDay)
}

/** Exchange writes when the last day begins in some zone, and others when it ends. */
function lastDay(until: ICAL.Time, start: EventTime): number {
  if (until.isDate || until.second !== 59) return findOccurrence(toEventTime(until), start)
  const next = until.clone()
  next.adjust(0, 0, 0, 1)
  return findOccurrence(toEventTime(next), start) - DAY_MS
}
