import type {
  ListUrgentEventsRequest,
  ListUrgentEventsResponse,
  UrgentEvent,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import type { SharedLink } from '@family-inbox/proto/pipe/v1/pipe'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { requireMember } from '../require-member.ts'
import { findSharedLinks } from '../timeline/find-shared-links.ts'
import { toWireEvent } from '../timeline/to-wire.ts'
import { type UntakenUrgent, untakenUrgent } from '../timeline/urgent.ts'

/** The limit for each loved one: an agency that sends many must not hide what happened to somebody else. */
const MOST = 3

/** Asks pipe only if there is something. @throws StatusError UNAVAILABLE while sharing is unknown */
export function listUrgentEvents(ctx: Context): Handler<ListUrgentEventsRequest, ListUrgentEventsResponse> {
  return async (_request, call) => {
    await requireMember(ctx, call)
    const { workspaceId } = requirePrincipal(call)
    const urgent = untakenUrgent(workspaceId, new Date())
    const lovedOneIds = await ctx.careEvents.distinct('lovedOneId', urgent)
    if (lovedOneIds.length === 0) return { events: [] }
    const links = await findSharedLinks(ctx, workspaceId, lovedOneIds, call.deadline)
    const events = await Promise.all(lovedOneIds.map((lovedOneId) => newestOf(ctx, { ...urgent, lovedOneId }, links)))
    return { events: events.flat() }
  }
}

type OfLovedOne = UntakenUrgent & { lovedOneId: string }

async function newestOf({ careEvents }: Context, urgent: OfLovedOne, links: SharedLink[]): Promise<UrgentEvent[]> {
  const { lovedOneId } = urgent
  const own = links.filter((link) => link.lovedOneId === lovedOneId)
  const rows = await careEvents
    .find({ ...urgent, linkId: { $in: own.map(({ linkId }) => linkId) } })
    .sort({ occurredAt: -1 })
    .limit(MOST)
    .lean()
  return rows.map((row) => ({ lovedOneId, event: toWireEvent(row, links) }))
}
