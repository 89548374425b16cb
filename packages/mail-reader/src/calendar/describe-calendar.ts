import type { PlannedTime } from './event-details.ts'
import { readCalendar } from './read-calendar.ts'

const LABELS: Record<string, string> = {
  REQUEST: 'Invitation',
  PUBLISH: 'Calendar event',
  CANCEL: 'Canceled',
  REPLY: 'Reply to an invitation',
  COUNTER: 'Proposed new time',
}
const NEVER = new Date(0)

/** Describes a calendar part: `Invitation: Dr. Weber, Tue 5 Aug 2025 14:30 (Europe/Berlin)`. Undefined without an event. */
export function describeCalendar(text: string, method?: string): string | undefined {
  // Which dates a series has does not matter here.
  const { events } = readCalendar({ text, method }, NEVER, { left: 0 })
  const [event] = events
  if (event === undefined) return undefined
  const label = LABELS[event.canceled ? 'CANCEL' : event.method] ?? 'Calendar event'
  return [`${label}: ${event.title || 'no title'}`, event.start && describeTime(event.start)].filter(Boolean).join(', ')
}

function describeTime({ kind, wall, zone }: PlannedTime): string {
  const words = (style: Intl.DateTimeFormatOptions) => wall.toLocaleDateString('en-GB', { ...style, timeZone: 'UTC' })
  const day = `${words({ weekday: 'short' })} ${words({ day: 'numeric', month: 'short', year: 'numeric' })}`
  if (kind === 'day') return day
  return `${day} ${wall.toISOString().slice(11, 16)}${zone && ` (${zone})`}`
}
