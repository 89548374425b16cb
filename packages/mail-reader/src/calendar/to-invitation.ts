import { DAY_MS } from '@family-inbox/service-kit/time/days'
import type { EventDetails } from './event-details.ts'
import type { CalendarLoss } from './read-calendar.ts'
import { toWireTime } from './to-requests.ts'

type EventTimeData = ReturnType<typeof toWireTime>

/** The content of the card on the page of a message. */
export type InvitationData = {
  uid: string
  state: 'new' | 'changed' | 'canceled' | 'answer'
  summary: string
  location: string
  organizer: string
  start: EventTimeData
  /** For whole days, the last one. */
  end?: EventTimeData
  /** Empty for a single event. */
  frequency: '' | 'daily' | 'weekly' | 'monthly' | 'yearly'
  interval: number
  moreEvents: number
  /** The address of a video visit; may be empty. */
  link: string
  /** The organizer’s other words; may be empty. */
  note: string
}

export type InvitationPreview = {
  /** Absent if the file has no event to show. */
  invitation: InvitationData | undefined
  losses: CalendarLoss[]
}

const SHOWN: readonly string[] = ['daily', 'weekly', 'monthly', 'yearly'] satisfies InvitationData['frequency'][]

/** The first event of a file that has a start. Recurrences are described. */
export function toInvitation({
  events,
  losses,
}: {
  events: EventDetails[]
  losses: CalendarLoss[]
}): InvitationPreview {
  const event = events.find(({ start }) => start !== undefined)
  return { invitation: event && describe(event, events), losses }
}

function describe(event: EventDetails, events: EventDetails[]): InvitationData | undefined {
  const { uid, withoutUid, title, place, organizer, start, end, frequency, interval, meeting } = event
  if (start === undefined) return undefined
  return {
    uid: withoutUid ? '' : uid,
    state: stateOf(event),
    summary: title,
    location: place,
    organizer: organizer.name || organizer.address,
    start: toWireTime(start),
    ...(end && { end: toWireTime(end.kind === 'day' ? { ...end, at: new Date(end.at.getTime() - DAY_MS) } : end) }),
    frequency: SHOWN.includes(frequency) ? (frequency as InvitationData['frequency']) : '',
    interval,
    // Further VEVENTs of the same event change single occurrences.
    moreEvents: new Set(events.map((one) => one.uid)).size - 1,
    ...meeting,
  }
}

function stateOf({ canceled, method, sequence }: EventDetails): InvitationData['state'] {
  if (canceled) return 'canceled'
  if (method === 'REPLY' || method === 'COUNTER') return 'answer'
  return sequence > 0 ? 'changed' : 'new'
}
