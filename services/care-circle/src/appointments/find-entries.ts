import { newerThan } from '@family-inbox/service-kit/rpc/page'
import type { PipelineStage } from 'mongoose'
import type { Context } from '../context.ts'
import { INDEX, LONG_SEC } from '../models/appointment.ts'
import { ENTRY_FIELDS, type Entry } from './to-wire-appointment.ts'

export type EntryFilter = {
  workspaceId: string
  /** Empty for all. */
  lovedOneId: string
  from?: Date | undefined
  until?: Date | undefined
}

type Page = { limit: number; pageToken?: string }

/** `_id` names the occurrence. */
type EntryRow = { _id: string; startsAt: Date; entry: Entry }

/** Callers do not wait longer. */
const MAX_TIME_MS = 2000

/** The occurrences that overlap a range, by start. What is read depends on the page, not on the calendar. */
export async function findEntries(
  { appointments }: Pick<Context, 'appointments'>,
  filter: EntryFilter,
  { limit, pageToken = '' }: Page,
): Promise<EntryRow[]> {
  const after = newerThan('startsAt', pageToken)
  const found = await Promise.all(
    toSpans(filter, after).map((span) =>
      appointments
        .aggregate<EntryRow>(toStages(filter, span, after, limit))
        .hint(span.isLong ? INDEX.longByEnd : INDEX.byStart)
        .option({ maxTimeMS: MAX_TIME_MS }),
    ),
  )
  return found.flat().sort(byStart).slice(0, limit)
}

/** Occurrences that start within bounds. One that is cut has nothing before the page, and may go far beyond it. */
type Span = { starts: Record<string, Date>; isLong?: true; isCut?: true }

/** Without a cursor also what began before the range. Of that, what takes longer than a day is found by its end. */
function toSpans({ from = new Date(0) }: EntryFilter, after: Record<string, unknown>): Span[] {
  const { $gte: last } = (after.startsAt ?? {}) as { $gte?: Date }
  if (last !== undefined && last >= from) return [{ starts: { $eq: last } }, { starts: { $gt: last }, isCut: true }]
  const dayBefore = new Date(from.getTime() - LONG_SEC * 1000)
  return [
    { starts: { $gte: from }, isCut: true },
    { starts: { $gte: dayBefore, $lt: from } },
    { starts: { $lt: dayBefore }, isLong: true },
  ]
}

function toStages(filter: EntryFilter, span: Span, after: Record<string, unknown>, limit: number): PipelineStage[] {
  const { workspaceId, lovedOneId, from = new Date(0), until } = filter
  const starts = { ...span.starts, ...(until && { $lt: earlier(until, span.starts.$lt) }) }
  const isInRange = [
    { $gte: ['$$one.endsAt', from] },
    ...Object.entries(starts).map(([operator, at]) => ({ [operator]: ['$$one.startsAt', at] })),
  ]
  const inRange = { $filter: { input: '$occurrences', as: 'one', cond: { $and: isInRange } } }
  const entry = Object.fromEntries(Object.keys(ENTRY_FIELDS).map((field) => [field, `$${field}`]))
  return [
    {
      $match: {
        workspaceId,
        ...(lovedOneId !== '' && { lovedOneId }),
        ...(span.isLong && { 'components.durationSec': { $gt: LONG_SEC }, lastEndsAt: { $gte: from } }),
        occurrences: { $elemMatch: { startsAt: starts, endsAt: { $gte: from } } },
      },
    },
    // In the order of the index, which is by the first start within the bounds: MongoDB cannot sort by that.
    ...(span.isCut ? [{ $limit: limit }] : []),
    // Before they are unwound, or each of a long series would be copied with its whole appointment.
    { $project: { ...ENTRY_FIELDS, occurrences: span.isCut ? { $slice: [inRange, limit] } : inRange } },
    { $unwind: '$occurrences' },
    { $set: { id: '$_id', _id: { $concat: ['$_id', '/', '$occurrences.key'] }, startsAt: '$occurrences.startsAt' } },
    { $match: after },
    { $sort: { startsAt: 1, _id: 1 } },
    { $limit: limit },
    { $project: { startsAt: 1, entry: { _id: '$id', ...entry, occurrence: '$occurrences' } } },
  ]
}

function earlier(one: Date, other = one): Date {
  return one < other ? one : other
}

function byStart(a: EntryRow, b: EntryRow): number {
  return a.startsAt.getTime() - b.startsAt.getTime() || (a._id < b._id ? -1 : 1)
}
