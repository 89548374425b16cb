import { fromWallTime, toWallTime } from '@family-inbox/service-kit/time/time-zone'
import { type CalendarNode, first } from './calendar-tree.ts'
import { readDefinition, type Zone } from './zone-definition.ts'
import { findZone, guessZone, type NamedZone } from './zone-names.ts'

export type Zones = {
  /** By the name that a time has; undefined if nobody knows it. */
  find(name: string): Zone | undefined
  /** The zone of times without a name, if the calendar names it. */
  ofCalendar: Zone | undefined
  /** Where the calendar was written, if it names one zone. */
  ofSender: Zone | undefined
  /** Whether the definition of an unknown zone was lost. */
  isLost: boolean
}

/** No file needs more. */
const MAX_ZONES = 50

/** How many names may still be looked up in a file: each asks for several spellings. */
export type LookUps = { left: number }

export function newLookUps(): LookUps {
  return { left: 200 }
}

/** Names that mean one place go before definitions, which may say anything; other names only count without a definition. */
export function readZones(calendar: CalendarNode, lookUps: LookUps): Zones {
  const written = calendar.children.filter(({ name }) => name === 'vtimezone').slice(0, MAX_ZONES)
  const definitions = new Map<string, Zone>()
  const unread: string[] = []
  for (const node of written) {
    const name = nameOf(node)
    const zone = name === '' ? undefined : readDefinition(node)
    if (zone !== undefined) definitions.set(name, zone)
    else unread.push(name)
  }
  const known = new Map<string, Zone | undefined>()
  const lookUp = (name: string) => byName(findZone(name)) ?? definitions.get(name) ?? byName(guessZone(name))
  const find = (name: string) => {
    if (known.has(name)) return known.get(name)
    lookUps.left -= 1
    const zone = lookUps.left < 0 ? definitions.get(name) : lookUp(name)
    known.set(name, zone)
    return zone
  }
  const isLost = unread.some((name) => name === '' || find(name) === undefined)
  const named = first(calendar, 'x-wr-timezone')?.text.trim()
  const ofCalendar = named === undefined ? undefined : find(named)
  const [only, ...others] = new Set(written.map(nameOf))
  const ofSender = ofCalendar ?? (only !== undefined && others.length === 0 ? find(only) : undefined)
  return { find, ofCalendar, ofSender, isLost }
}

function nameOf(node: CalendarNode): string {
  return first(node, 'tzid')?.text.trim() ?? ''
}

function byName(zone: NamedZone | undefined): Zone | undefined {
  if (zone === undefined) return undefined
  if (typeof zone === 'number') return fixed(zone * 60_000)
  return {
    toMoment: (wall) => fromWallTime(wall, zone).getTime(),
    toWall: (at) => toWallTime(new Date(at), zone),
  }
}

function fixed(offset: number): Zone {
  return { toMoment: (wall) => wall - offset, toWall: (at) => at + offset }
}

export const UTC: Zone = fixed(0)
