import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { type CalendarNode, first } from './calendar-tree.ts'
import { expandRule } from './expand-rule.ts'
import type { CalendarLine } from './read-property.ts'
import type { Rule } from './read-rule.ts'

/** Turns what the clocks of a place show, as if in UTC, into moments and back; all in milliseconds. */
export type Zone = { toMoment(wall: number): number; toWall(at: number): number }

const YEAR_MS = 366 * DAY_MS
/** Two for each change of the law; Outlook writes two in all. */
const MAX_CHANGES = 100
/** The limit for one kind of change, around one year. */
const MAX_STEPS = 3000

/** When clocks change (STANDARD or DAYLIGHT): `before` and `after` are milliseconds east of UTC. */
type Change = { starts: number[]; rule: Rule | undefined; until: number; before: number; after: number }
type Onset = { wall: number; change: Change }

/** A time zone as the file defines it (RFC 5545 section 3.6.5). Undefined unless all of it can be read: half would give wrong times. */
export function readDefinition({ children, lost }: CalendarNode): Zone | undefined {
  if (lost.size > 0 || children.length === 0 || children.length > MAX_CHANGES) return undefined
  const changes = children.map(readChange)
  const read = changes.filter((one) => one !== undefined)
  if (read.length < changes.length) return undefined
  const byYear = new Map<number, Onset[]>()

  function onsetsAround(wall: number): Onset[] {
    const year = new Date(wall).getUTCFullYear()
    const known = byYear.get(year)
    if (known !== undefined) return known
    const found = read.flatMap((change) => onsetsOf(change, year)).sort((a, b) => a.wall - b.wall)
    byYear.set(year, found)
    return found
  }

  /** Before the first change, what was before it. */
  function offsetAt(wall: number): number {
    const onsets = onsetsAround(wall)
    const last = onsets.findLast((onset) => onset.wall <= wall)
    if (last === undefined) return onsets[0]?.change.before ?? read[0]?.before ?? 0
    const { before, after } = last.change
    // Clocks skip it, so it is as much later.
    return wall - last.wall < after - before ? before : after
  }

  return {
    toMoment: (wall) => wall - offsetAt(wall),
    toWall(at) {
      const onsets = onsetsAround(at)
      const last = onsets.findLast(({ wall, change }) => wall - change.before <= at)
      return at + (last?.change.after ?? onsets[0]?.change.before ?? read[0]?.before ?? 0)
    },
  }
}

function readChange(node: CalendarNode): Change | undefined {
  const start = first(node, 'dtstart')?.time
  const before = first(node, 'tzoffsetfrom')?.seconds
  const after = first(node, 'tzoffsetto')?.seconds
  if (node.lost.size > 0 || start === undefined || before === undefined || after === undefined) return undefined
  const rule = first(node, 'rrule')?.rule
  if (rule !== undefined && rule.frequency !== 'YEARLY') return undefined
  const others = node.properties.flatMap(({ name, time }: CalendarLine) =>
    name === 'rdate' && time ? [time.wall] : [],
  )
  const until = rule?.until
  return {
    starts: [start.wall, ...others],
    rule,
    until: until === undefined ? Number.POSITIVE_INFINITY : until.wall + (until.isUtc ? before * 1000 : 0),
    before: before * 1000,
    after: after * 1000,
  }
}

/** Those that matter within a year: of that and the year before; or else the last one. */
function onsetsOf(change: Change, year: number): Onset[] {
  const { starts, rule, until } = change
  const [start = 0] = starts
  const end = Date.UTC(year + 1, 0, 2)
  const last = Math.min(end, until)
  const walls = starts.filter((wall) => wall <= end)
  if (rule !== undefined && last >= start) {
    const window = { from: last - 2 * YEAR_MS, until: last }
    walls.push(...expandRule(rule, start, window, { left: MAX_STEPS }))
  }
  return walls.map((wall) => ({ wall, change }))
}
