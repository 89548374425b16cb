import { insertOnce } from '@family-inbox/service-kit/mongo/rows'
import type { Context } from '../context.ts'
import type { CareEvent } from '../models/care-event.ts'

/**
 * Puts events on timelines: those whose link shares now. What is not shared is dropped, since nothing crosses while
 * family-share is off; so is what belongs to a purged link or to a loved one who is no more. The same event again is the same
 * row. When it returns, what was placed is on a majority and in its journal.
 * @returns for each event whether it is on its timeline
 */
export async function placeEvents(ctx: Context, events: CareEvent[]): Promise<boolean[]> {
  const [isShared, isExpected] = await Promise.all([findSharing(ctx, events), findExpected(ctx, events)])
  const wanted = events.filter((event) => isShared(event) && isExpected(event))
  await insertOnce(ctx.careEvents.collection, wanted)
  // A purge may have come since the link was asked for. Its tombstone precedes its deletion: either the deletion found these
  // rows, or this look finds the tombstone. Who dies before it leaves the messages unacknowledged, and whoever has them next looks.
  const isPurged = await findPurged(ctx, events)
  await remove(ctx, events.filter(isPurged))
  return events.map((event) => isShared(event) && isExpected(event) && !isPurged(event))
}

type Look = (event: CareEvent) => boolean

/** Asks the pipe, once for each link, whether family-share is on now. */
async function findSharing(ctx: Context, events: CareEvent[]): Promise<Look> {
  const linkIds = distinct(events, 'linkId')
  const { shared } = await ctx.pipe.checkSharing({ linkIds })
  const sharing = new Set(linkIds.filter((_, index) => shared[index] === true))
  return ({ linkId }) => sharing.has(linkId)
}

/** Looks whether the loved one is the household's. */
async function findExpected(ctx: Context, events: CareEvent[]): Promise<Look> {
  const named = { _id: { $in: distinct(events, 'lovedOneId') } }
  const lovedOnes = await ctx.lovedOnes.find(named, { workspaceId: 1 }).lean()
  const workspaceOf = new Map(lovedOnes.map(({ _id, workspaceId }) => [_id, workspaceId]))
  return ({ lovedOneId, workspaceId }) => workspaceOf.get(lovedOneId) === workspaceId
}

async function findPurged(ctx: Context, events: CareEvent[]): Promise<Look> {
  const tombstones = await ctx.purgedLinks.find({ _id: { $in: distinct(events, 'linkId') } }, { _id: 1 }).lean()
  const purged = new Set(tombstones.map(({ _id }) => _id))
  return ({ linkId }) => purged.has(linkId)
}

function distinct(events: CareEvent[], field: 'linkId' | 'lovedOneId'): string[] {
  return [...new Set(events.map((event) => event[field]))]
}

async function remove(ctx: Context, events: CareEvent[]): Promise<void> {
  if (events.length > 0) await ctx.careEvents.deleteMany({ _id: { $in: events.map(({ _id }) => _id) } })
}
