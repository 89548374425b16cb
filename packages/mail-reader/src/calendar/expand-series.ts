import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { type EventTime, toEventTime } from './event-times.ts'
import { expandRule, type Steps } from './expand-rule.ts'
import { findOccurrence, type Series } from './find-occurrence.ts'
import type { Rule } from './read-rule.ts'
import type { TimeValue } from './read-time-value.ts'
import type { Zones } from './zones.ts'

/** Earlier occurrences of a series are history. */
const BEFORE_MS = 31 * DAY_MS
/** A series without an end is shown for two years, or until the next mail about it. */
const AFTER_MS = 2 * 366 * DAY_MS
const MAX_STARTS = 400
/** Enough for a yearly series of a hundred years. */
const MAX_STEPS = 40_000

/** The fields of an event that say when it repeats. */
export type Recurrence = {
  series: Series
  rules: Rule[]
  added: EventTime[]
  excluded: EventTime[]
  excludedRules: Rule[]
}

/**
 * The starts of a series that matter now, in order, in milliseconds.
 * @param steps of the whole mail
 */
export function expandSeries({ series, ...said }: Recurrence, zones: Zones, now: number, steps: Steps): number[] {
  const { start } = series
  const own = { left: Math.min(MAX_STEPS, steps.left) }
  const left = own.left
  const named = (times: EventTime[]) => times.map((time) => findOccurrence(time, series))
  const isNear = (at: number) => at >= now - BEFORE_MS
  const of = (rule: Rule) => occurrences(rule, series, zones, now, own)
  const excluded = new Set([...named(said.excluded), ...said.excludedRules.flatMap((rule) => [...of(rule)])])
  const isWanted = (at: number) => isNear(at) && !excluded.has(at)
  // Nobody adds a day by its midnight.
  const added = said.added.map((time) => (time.kind === start.kind ? time.at : findOccurrence(time, series)))
  const starts = new Set([start.at, ...added].filter(isWanted))
  for (const rule of said.rules) for (const at of firstOf(of(rule), isWanted)) starts.add(at)
  steps.left -= left - Math.max(0, own.left)
  return [...starts].sort((a, b) => a - b).slice(0, MAX_STARTS)
}

function* firstOf(all: Generator<number>, isWanted: (at: number) => boolean): Generator<number> {
  let left = MAX_STARTS
  for (const at of all) {
    if (!isWanted(at)) continue
    yield at
    left -= 1
    if (left === 0) return
  }
}

/** UNTIL is a moment, while the rule counts what clocks at the place show: the two meet only as moments. */
function* occurrences(rule: Rule, series: Series, zones: Zones, now: number, steps: Steps): Generator<number> {
  const { start } = series
  const last = Math.min(lastOf(rule, series, zones) ?? Number.POSITIVE_INFINITY, now + AFTER_MS)
  const soon = now - BEFORE_MS - 2 * DAY_MS
  for (const wall of expandRule(rule, start.wall, { from: soon, until: last + 2 * DAY_MS }, steps)) {
    // Converting a time from its zone costs more than the step.
    if (wall < soon) continue
    const at = start.toMoment(wall)
    if (at > last) return
    yield at
  }
}

/** When the last one may start, in milliseconds; undefined if the rule does not say it. */
export function lastOf({ until }: Rule, series: Series, zones: Zones): number | undefined {
  if (until === undefined) return undefined
  const { start } = series
  const time = toEventTime(until, start.zone, zones)
  if (start.kind === 'day') return lastDay(until, series, zones)
  if (until.isDay) return start.toMoment(until.wall + DAY_MS - 1000)
  return until.isUtc && start.kind === 'moment' ? time.at : start.toMoment(until.wall)
}

/** Exchange writes when the last day begins in some zone, and others when it ends. */
function lastDay(until: TimeValue, series: Series, zones: Zones): number {
  const dayOf = (time: TimeValue) => findOccurrence(toEventTime(time, '', zones), series)
  if (until.isDay || new Date(until.wall).getUTCSeconds() !== 59) return dayOf(until)
  return dayOf({ ...until, wall: until.wall + 1000 }) - DAY_MS
}
