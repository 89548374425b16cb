import type { PipelineStage } from 'mongoose'
import type { Context } from '../context.ts'
import { ENTRY_FIELDS, type Entry } from './to-wire.ts'

export type EntryFilter = {
  workspaceId: string
  /** Empty for all. */
  lovedOneId: string
  from?: Date | undefined
  until?: Date | undefined
}

type Page = { limit: number; after?: Record<string, unknown> }

/** `_id` names the occurrence. */
type EntryRow = { _id: string; startsAt: Date; entry: Entry }

/** Callers do not wait longer. */
const MAX_TIME_MS = 2000

/** The occurrences that overlap a range, by start. */
export async function findEntries(ctx: Context, filter: EntryFilter, { limit, after = {} }: Page): Promise<EntryRow[]> {
  const { workspaceId, lovedOneId, from = new Date(0), until } = filter
  const entry = Object.fromEntries(Object.keys(ENTRY_FIELDS).map((field) => [field, `$${field}`]))
  const isInRange = {
    $and: [{ $gte: ['$$one.endsAt', from] }, ...(until ? [{ $lt: ['$$one.startsAt', until] }] : [])],
  }
  const stages: PipelineStage[] = [
    { $match: { workspaceId, ...(lovedOneId !== '' && { lovedOneId }), lastEndsAt: { $gte: from } } },
    // Before they are unwound, or each of a long series would be copied with its whole appointment.
    {
      $project: {
        ...ENTRY_FIELDS,
        occurrences: { $filter: { input: '$occurrences', as: 'one', cond: isInRange } },
      },
    },
    { $unwind: '$occurrences' },
    {
      $project: {
        _id: { $concat: ['$_id', '/', '$occurrences.key'] },
        startsAt: '$occurrences.startsAt',
        entry: { _id: '$_id', ...entry, occurrence: '$occurrences' },
      },
    },
    { $match: after },
    { $sort: { startsAt: 1, _id: 1 } },
    { $limit: limit },
  ]
  return ctx.appointments.aggregate<EntryRow>(stages).option({ maxTimeMS: MAX_TIME_MS })
}
