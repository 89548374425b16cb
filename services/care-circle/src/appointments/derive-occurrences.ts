import { occurrenceKey } from '@family-inbox/workspace-kit/calendar-changes'
import type { Appointment, Component, Occurrence } from '../models/appointment.ts'

/** Over all parts of a series. */
const MAX_OCCURRENCES = 500

type Known = Pick<Appointment, 'components' | 'occurrences' | 'canceledByFamily' | 'going'>

/** Derives the occurrences from the components. Keeps earlier changes of a moved or canceled occurrence. */
export function deriveOccurrences(known: Known, now: Date): Occurrence[] {
  const planned = plan(known.components)
  const earlier = new Map(known.occurrences.map((occurrence) => [occurrence.key, occurrence]))
  const current = planned.map((occurrence) => {
    const canceled = occurrence.canceled || isCanceledByFamily(known.canceledByFamily, occurrence.key)
    return withChange({ ...occurrence, canceled }, earlier.get(occurrence.key), now)
  })
  return [...current, ...withdrawn(known, planned, now)]
    .sort((a, b) => a.startsAt.getTime() - b.startsAt.getTime())
    .slice(0, MAX_OCCURRENCES)
}

function plan(components: Component[]): Occurrence[] {
  const whole = components.find(({ recurrenceId }) => recurrenceId === undefined)
  const changed = components.flatMap((component) =>
    component.recurrenceId ? [{ ...component, recurrenceId: component.recurrenceId }] : [],
  )
  const later = changed.filter(({ andLater }) => andLater).toSorted(byRecurrence)
  const ends = later.filter(({ canceled }) => canceled)
  const isEnded = (at: Date) => ends.some(({ recurrenceId }) => at >= recurrenceId)
  const replaced = new Set(changed.map(({ recurrenceId }) => recurrenceId.getTime()))
  const regular = (whole?.starts ?? [])
    .filter((at) => !replaced.has(at.getTime()))
    .map((at) => regularOccurrence(whole as Component, at, later, isEnded(at)))
  const others = changed.flatMap((component) => {
    const [at] = whole === undefined && component.canceled ? [] : component.starts
    const isCanceled = whole?.canceled === true || isEnded(component.recurrenceId)
    return at ? [toOccurrence(component, at, occurrenceKey(component.recurrenceId), isCanceled)] : []
  })
  return [...regular, ...others]
}

type Changed = Component & { recurrenceId: Date }

function byRecurrence(a: Changed, b: Changed): number {
  return a.recurrenceId.getTime() - b.recurrenceId.getTime()
}

/** As the series says, or the last change of it that is about later ones, too (RANGE=THISANDFUTURE). */
function regularOccurrence(series: Component, at: Date, later: Changed[], isCanceled: boolean): Occurrence {
  const key = series.recurring ? occurrenceKey(at) : ''
  const change = later.findLast((one) => !one.canceled && one.recurrenceId <= at && one.kind === series.kind)
  const [start] = change?.starts ?? []
  if (change === undefined || start === undefined) return toOccurrence(series, at, key, isCanceled)
  const moved = new Date(at.getTime() + start.getTime() - change.recurrenceId.getTime())
  return toOccurrence({ ...change, canceled: series.canceled }, moved, key, isCanceled)
}

function toOccurrence(component: Component, startsAt: Date, key: string, isCanceled: boolean): Occurrence {
  const { kind, title, place, durationSec, canceled, tentative, link, note } = component
  const endsAt = new Date(startsAt.getTime() + durationSec * 1000)
  return {
    key,
    startsAt,
    endsAt,
    kind,
    title,
    place,
    canceled: canceled || isCanceled,
    ...(tentative && { tentative }),
    ...(link && { link }),
    ...(note && { note }),
  }
}

export function isCanceledByFamily(canceled: string[], key: string): boolean {
  return canceled.includes('*') || canceled.includes(key === '' ? '*' : key)
}

function withChange(now: Occurrence, before: Occurrence | undefined, at: Date): Occurrence {
  if (before === undefined) return now
  const isMoved = before.startsAt.getTime() !== now.startsAt.getTime() || before.kind !== now.kind
  const isChanged = isMoved || before.place !== now.place || before.canceled !== now.canceled
  if (isChanged) return { ...now, changedAt: at, ...(isMoved && { earlierStart: before.startsAt }) }
  const { changedAt, earlierStart } = before
  return { ...now, ...(changedAt && { changedAt }), ...(earlierStart && { earlierStart }) }
}

/** Somebody goes to it, so it is shown as canceled instead of disappearing. */
function withdrawn({ occurrences, going }: Known, planned: Occurrence[], now: Date): Occurrence[] {
  const keys = new Set(planned.map(({ key }) => key))
  const awaited = new Set(going.map(({ key }) => key))
  return occurrences
    .filter(({ key, endsAt }) => !keys.has(key) && awaited.has(key) && endsAt >= now)
    .map((occurrence) => (occurrence.canceled ? occurrence : { ...occurrence, canceled: true, changedAt: now }))
}

export function endsOf(occurrences: Occurrence[]): { lastEndsAt: Date; activeUntil: Date } {
  return { lastEndsAt: lastEnd(occurrences), activeUntil: lastEnd(occurrences.filter(({ canceled }) => !canceled)) }
}

/** Long past without any. */
function lastEnd(occurrences: Occurrence[]): Date {
  return new Date(Math.max(0, ...occurrences.map(({ endsAt }) => endsAt.getTime())))
}
