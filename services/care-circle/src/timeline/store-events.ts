import { insertOnce } from '@family-inbox/service-kit/mongo/rows'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import type { CareEvent } from '../models/care-event.ts'
import { isRecent } from './urgent.ts'

/** Drops events of links not shared or purged, and of unknown loved ones. Idempotent. @returns whether each is stored */
export async function storeEvents(ctx: Context, events: CareEvent[]): Promise<boolean[]> {
  const [isShared, isExpected] = await Promise.all([findSharing(ctx, events), findExpected(ctx, events)])
  const wanted = events.filter((event) => isShared(event) && isExpected(event))
  const rows = wanted.map(withMailDue)
  await insertOnce(ctx.careEvents.collection, rows)
  crashPoint('event-stored')
  if (rows.some(({ urgentMail }) => urgentMail !== undefined)) ctx.wake.urgentMail()
  // A purge may have started. It writes its marker before it deletes: it found these rows, or the marker is visible here.
  const isPurged = await findPurged(ctx, events)
  await remove(ctx, events.filter(isPurged))
  return events.map((event) => isShared(event) && isExpected(event) && !isPurged(event))
}

/** In the same insert as the event, so a crash loses no mail, and a repeated event brings no second one. */
function withMailDue(event: CareEvent): CareEvent {
  const now = new Date()
  return event.urgent && isRecent(event, now) ? { ...event, urgentMail: { since: now, dueAt: now } } : event
}

type Check = (event: CareEvent) => boolean

async function findSharing(ctx: Context, events: CareEvent[]): Promise<Check> {
  const linkIds = distinct(events, 'linkId')
  const { shared } = await ctx.pipe.checkSharing({ linkIds })
  const sharing = new Set(linkIds.filter((_, index) => shared[index] === true))
  return ({ linkId }) => sharing.has(linkId)
}

async function findExpected(ctx: Context, events: CareEvent[]): Promise<Check> {
  const named = { _id: { $in: distinct(events, 'lovedOneId') } }
  const lovedOnes = await ctx.lovedOnes.find(named, { workspaceId: 1 }).lean()
  const workspaceOf = new Map(lovedOnes.map(({ _id, workspaceId }) => [_id, workspaceId]))
  return ({ lovedOneId, workspaceId }) => workspaceOf.get(lovedOneId) === workspaceId
}

export async function findPurged(ctx: Context, events: CareEvent[]): Promise<Check> {
  const markers = await ctx.purgedLinks.find({ _id: { $in: distinct(events, 'linkId') } }, { _id: 1 }).lean()
  const purged = new Set(markers.map(({ _id }) => _id))
  return ({ linkId }) => purged.has(linkId)
}

function distinct(events: CareEvent[], field: 'linkId' | 'lovedOneId'): string[] {
  return [...new Set(events.map((event) => event[field]))]
}

async function remove(ctx: Context, events: CareEvent[]): Promise<void> {
  if (events.length > 0) await ctx.careEvents.deleteMany({ _id: { $in: events.map(({ _id }) => _id) } })
}
