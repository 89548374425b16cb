import { DAY_MS, HOUR_MS } from '@family-inbox/service-kit/time/days'
import type { Rule, WeekdayPart } from './read-rule.ts'
import { dayOf } from './read-time-value.ts'

const SECOND_MS = 1000
const STEPS_MS: Partial<Record<Rule['frequency'], number>> = {
  HOURLY: HOUR_MS,
  MINUTELY: 60_000,
  SECONDLY: SECOND_MS,
}

/** The days and times that may still be looked at: whoever writes a rule decides how much it asks for. */
export type Steps = { left: number }

export type Window = {
  /** The wanted window. Earlier times are counted, and may be given. */
  from: number
  until: number
}

/**
 * The times of a rule in order, from the series’ start on, as clocks at its place show them: as if in UTC, in milliseconds
 * (RFC 5545 section 3.3.10). Ends after the window, or when no steps are left. Ignores UNTIL, which is a moment.
 */
export function* expandRule(rule: Rule, start: number, window: Window, steps: Steps): Generator<number> {
  let left = rule.count ?? Number.POSITIVE_INFINITY
  for (const at of timesOf(rule, start, window, steps)) {
    if (at > window.until) return
    yield at
    left -= 1
    if (left === 0) return
  }
}

function* timesOf(rule: Rule, start: number, window: Window, steps: Steps): Generator<number> {
  const parts = withDefaults(rule, start)
  for (const { begin, times } of periods(parts, rule.count === undefined, start, window, steps)) {
    if (begin > window.until) return
    for (const at of choose(times, rule.bySetPos)) {
      steps.left -= 1
      if (steps.left < 0) return
      if (at >= start) yield at
    }
  }
}

type Parts = Omit<Rule, 'count' | 'until'>
type Period = { begin: number; times: Iterable<number> }

function withDefaults(rule: Rule, start: number): Parts {
  const { frequency, byDay, byWeekNo, byYearDay, byMonthDay, byMonth } = rule
  const at = new Date(start)
  const isStepOf = (...frequencies: Rule['frequency'][]) => frequencies.includes(frequency)
  const hasDay = byDay.length + byYearDay.length + byMonthDay.length > 0
  const ofWeek = !hasDay && (isStepOf('WEEKLY') || byWeekNo.length > 0)
  const ofMonth = !hasDay && byWeekNo.length === 0 && isStepOf('YEARLY', 'MONTHLY')
  return {
    ...rule,
    byDay: ofWeek ? [{ weekday: at.getUTCDay(), nth: 0 }] : byDay,
    byMonthDay: ofMonth ? [at.getUTCDate()] : byMonthDay,
    byMonth: ofMonth && isStepOf('YEARLY') && byMonth.length === 0 ? [at.getUTCMonth() + 1] : byMonth,
    byHour: orElse(rule.byHour, !isStepOf('HOURLY', 'MINUTELY', 'SECONDLY'), at.getUTCHours()),
    byMinute: orElse(rule.byMinute, !isStepOf('MINUTELY', 'SECONDLY'), at.getUTCMinutes()),
    bySecond: orElse(rule.bySecond, !isStepOf('SECONDLY'), at.getUTCSeconds()),
  }
}

function orElse(list: number[], isMissed: boolean, value: number): number[] {
  return list.length === 0 && isMissed ? [value] : list
}

/** Yields a period for each step of the rule. Those long before the window can be skipped if nobody counts them. */
function periods(parts: Parts, maySkip: boolean, start: number, window: Window, steps: Steps): Generator<Period> {
  const stepMs = STEPS_MS[parts.frequency]
  return stepMs === undefined
    ? days(parts, maySkip ? window.from : start, start, steps)
    : moments(parts, start, stepMs, steps)
}

const DAYS_OF: Partial<Record<Rule['frequency'], number>> = { YEARLY: 366, MONTHLY: 31, WEEKLY: 7 }

function* days(parts: Parts, soonest: number, start: number, steps: Steps): Generator<Period> {
  const { frequency, interval, weekStart } = parts
  const length = DAYS_OF[frequency] ?? 1
  const first = frequency === 'WEEKLY' ? weekBegin(start, weekStart) : dayOf(start)
  let later = Math.max(0, Math.floor((soonest - first) / (length * DAY_MS * interval)) - 1) * interval
  for (; steps.left > 0; later += interval) {
    steps.left -= length
    const [begin, end] = [beginOf(frequency, first, later), beginOf(frequency, first, later + 1)]
    if (Number.isNaN(end)) return
    yield { begin, times: timesWithin(begin, end, parts) }
  }
}

/** When the period begins that is so many years, months, weeks or days later. */
function beginOf(frequency: Rule['frequency'], first: number, later: number): number {
  const [year, month] = [new Date(first).getUTCFullYear(), new Date(first).getUTCMonth()]
  if (frequency === 'YEARLY') return Date.UTC(year + later, 0, 1)
  if (frequency === 'MONTHLY') return Date.UTC(year, month + later, 1)
  return first + later * (frequency === 'WEEKLY' ? 7 : 1) * DAY_MS
}

function weekBegin(at: number, weekStart: number): number {
  const day = dayOf(at)
  return day - ((new Date(day).getUTCDay() - weekStart + 7) % 7) * DAY_MS
}

/** Steps below a day. Whole days and hours that the rule leaves out cost one. */
function* moments(parts: Parts, start: number, stepMs: number, steps: Steps): Generator<Period> {
  const every = stepMs * parts.interval
  const jump = (at: number, end: number) => at + Math.max(1, Math.ceil((end - at) / every)) * every
  for (let at = start; steps.left > 0; ) {
    steps.left -= 1
    const [day, hour] = [dayOf(at), Math.floor(at / HOUR_MS) * HOUR_MS]
    const begin = Math.floor(at / stepMs) * stepMs
    const isLeftOut = !isDayOf(day, parts) || !has(parts.byHour, new Date(at).getUTCHours())
    yield { begin, times: isLeftOut ? [] : clockTimes(day, within(begin, stepMs, parts)) }
    if (!isLeftOut) at += every
    else at = jump(at, isDayOf(day, parts) ? hour + HOUR_MS : day + DAY_MS)
  }
}

/** The parts that fall within an hour, a minute or a second. */
function within(begin: number, stepMs: number, parts: Parts): Parts {
  const at = new Date(begin)
  return {
    ...parts,
    byHour: [at.getUTCHours()],
    byMinute: stepMs >= HOUR_MS ? parts.byMinute : both(parts.byMinute, at.getUTCMinutes()),
    bySecond: stepMs > SECOND_MS ? parts.bySecond : both(parts.bySecond, at.getUTCSeconds()),
  }
}

function both(list: number[], value: number): number[] {
  return has(list, value) ? [value] : []
}

/** An empty list leaves nothing out. */
function has(list: number[], value: number): boolean {
  return list.length === 0 || list.includes(value)
}

function* timesWithin(from: number, until: number, parts: Parts): Generator<number> {
  for (let day = from; day < until; day += DAY_MS) if (isDayOf(day, parts)) yield* clockTimes(day, parts)
}

function* clockTimes(day: number, { byHour, byMinute, bySecond }: Parts): Generator<number> {
  for (const hour of byHour)
    for (const minute of byMinute)
      for (const second of bySecond) yield day + ((hour * 60 + minute) * 60 + second) * SECOND_MS
}

function isDayOf(day: number, parts: Parts): boolean {
  const { byMonth, byWeekNo, byYearDay, byMonthDay, byDay } = parts
  const at = new Date(day)
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()]
  if (!has(byMonth, month + 1)) return false
  const nextMonth = Date.UTC(year, month + 1, 1)
  if (!isNth(byMonthDay, at.getUTCDate(), (nextMonth - Date.UTC(year, month, 1)) / DAY_MS)) return false
  const [thisYear, nextYear] = [Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)]
  if (!isNth(byYearDay, (day - thisYear) / DAY_MS + 1, (nextYear - thisYear) / DAY_MS)) return false
  if (byWeekNo.length > 0) {
    const [number, weeks] = weekOf(day, parts.weekStart)
    if (!isNth(byWeekNo, number, weeks)) return false
  }
  if (byDay.length === 0) return true
  const isOfMonth = parts.frequency === 'MONTHLY' || byMonth.length > 0
  const [begin, end] = isOfMonth ? [Date.UTC(year, month, 1), nextMonth] : [thisYear, nextYear]
  const isCounted = parts.frequency === 'YEARLY' || parts.frequency === 'MONTHLY'
  return byDay.some((weekday) => isWeekday(weekday, at.getUTCDay(), isCounted ? { day, begin, end } : undefined))
}

function isNth(list: number[], value: number, most: number): boolean {
  return list.length === 0 || list.includes(value) || list.includes(value - most - 1)
}

type Within = { day: number; begin: number; end: number }

function isWeekday({ weekday, nth }: WeekdayPart, actual: number, within: Within | undefined): boolean {
  if (weekday !== actual) return false
  if (nth === 0 || within === undefined) return true
  const { day, begin, end } = within
  const fromBegin = Math.floor((day - begin) / (7 * DAY_MS)) + 1
  const fromEnd = -Math.ceil((end - day) / (7 * DAY_MS))
  return nth === fromBegin || nth === fromEnd
}

/** The number of its week, of the year that has most of it, and how many weeks that year has. */
function weekOf(day: number, weekStart: number): [number: number, weeks: number] {
  const middle = new Date(weekBegin(day, weekStart) + 3 * DAY_MS)
  const year = middle.getUTCFullYear()
  const first = (of: number) => weekBegin(Date.UTC(of, 0, 4), weekStart)
  const weeks = Math.round((first(year + 1) - first(year)) / (7 * DAY_MS))
  return [Math.round((weekBegin(day, weekStart) - first(year)) / (7 * DAY_MS)) + 1, weeks]
}

/** Nobody counts further within one period. */
const MAX_POSITION = 10_000

/** The nth of a period’s times (BYSETPOS). */
function choose(times: Iterable<number>, positions: number[]): Iterable<number> {
  if (positions.length === 0) return times
  const all: number[] = []
  for (const at of times) if (all.push(at) > MAX_POSITION) return []
  return all.filter((_, index) => isNth(positions, index + 1, all.length))
}
