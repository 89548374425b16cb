import type { TimelineEvent } from './event.ts'

/** A visit with everything the agency recorded during it. */
export type Visit = {
  kind: 'visit'
  occurredAt: Date
  startedAt: Date
  minutes: number
  ended: TimelineEvent
  started: TimelineEvent | undefined
  /** Oldest first. */
  during: TimelineEvent[]
}

export type Entry = TimelineEvent | Visit

const MINUTE_MS = 60_000
/** Readings and notes are often saved on the way out. */
const SLACK_MS = 10 * MINUTE_MS
/** A start further back belongs to a visit whose end was never sent. */
const MAX_VISIT_MS = 24 * 60 * MINUTE_MS

export function isVisit(entry: Entry): entry is Visit {
  return 'kind' in entry
}

/** Groups what happened during a visit, by the same agency and loved one, with its end. Newest first, as the events are. */
export function groupVisits(events: TimelineEvent[]): Entry[] {
  const oldestFirst = events.toReversed()
  const taken = new Set<TimelineEvent>()
  const visits = new Map<TimelineEvent, Visit>()
  for (const ended of oldestFirst) {
    if (ended.details?.kind !== 'visit_ended') continue
    const candidates = oldestFirst.filter((event) => event !== ended && !taken.has(event) && isSameStream(event, ended))
    const visit = toVisit(ended, ended.details.minutes, candidates)
    for (const event of [...visit.during, ended, ...(visit.started ? [visit.started] : [])]) taken.add(event)
    visits.set(ended, visit)
  }
  return events.flatMap((event): Entry[] | Entry => visits.get(event) ?? (taken.has(event) ? [] : [event]))
}

function toVisit(ended: TimelineEvent, minutes: number, candidates: TimelineEvent[]): Visit {
  const endMs = ended.occurredAt.getTime()
  const started = candidates.findLast(
    ({ details, occurredAt }) =>
      details?.kind === 'visit_started' &&
      occurredAt <= ended.occurredAt &&
      endMs - occurredAt.getTime() <= Math.max(MAX_VISIT_MS, minutes * MINUTE_MS),
  )
  const startedAt = started?.occurredAt ?? new Date(endMs - minutes * MINUTE_MS)
  const during = candidates.filter(
    ({ details, occurredAt }) =>
      details !== undefined &&
      details.kind !== 'visit_started' &&
      details.kind !== 'visit_ended' &&
      occurredAt >= startedAt &&
      occurredAt.getTime() <= endMs + SLACK_MS,
  )
  return { kind: 'visit', occurredAt: ended.occurredAt, startedAt, minutes, ended, started, during }
}

function isSameStream(one: TimelineEvent, other: TimelineEvent): boolean {
  return one.source === other.source && one.lovedOne.id === other.lovedOne.id
}
