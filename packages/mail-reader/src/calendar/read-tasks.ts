import { cleanLine } from '@family-inbox/service-kit/text/clean-text'
import { cut } from '@family-inbox/service-kit/text/cut'
import { type CalendarNode, first } from './calendar-tree.ts'
import { readTime } from './event-times.ts'
import type { Zones } from './zones.ts'

/** Something to do, from a VTODO (RFC 5545 section 3.6.2). */
export type CalendarTask = {
  text: string
  /** When it is due, such as `2026-05-12`, on clocks where it was written. */
  day?: string
}

export const MAX_TASKS = 10
const MAX_CHARS = 200
/** Who plans it; others answer or take it back (RFC 5546 section 3.4). */
const METHODS = ['', 'PUBLISH', 'REQUEST']
const OVER = /^\s*(?:COMPLETED|CANCELL?ED)\s*$/i

/** The tasks of a calendar that are not over. One without a summary says nothing. */
export function readTasks({ children }: CalendarNode, method: string, zones: Zones): CalendarTask[] {
  if (!METHODS.includes(method)) return []
  const open = children.filter((node) => node.name === 'vtodo' && !OVER.test(first(node, 'status')?.text ?? ''))
  return open.slice(0, MAX_TASKS).flatMap((node) => {
    const text = cut(cleanLine(first(node, 'summary')?.text ?? ''), MAX_CHARS)
    const due = first(node, 'due')
    const time = due && readTime(due, zones)
    return text === '' ? [] : { text, ...(time && { day: new Date(time.wall).toISOString().slice(0, 10) }) }
  })
}
