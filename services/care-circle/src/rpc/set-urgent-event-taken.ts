import type {
  SetUrgentEventTakenRequest,
  SetUrgentEventTakenResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { requireMember } from '../require-member.ts'
import { findSharedLinks } from '../timeline/find-shared-links.ts'
import { recentRange } from '../timeline/urgent.ts'

/**
 * For viewers, too: whoever is near goes. The first one has it.
 * @throws StatusError NOT_FOUND for an event the caller's timeline does not show
 */
export function setUrgentEventTaken(ctx: Context): Handler<SetUrgentEventTakenRequest, SetUrgentEventTakenResponse> {
  return async ({ eventId, taken }, call) => {
    const { workspaceId, personId } = await requireMember(ctx, call)
    requirePerson(call)
    const event = await ctx.careEvents.findOne({ _id: eventId, workspaceId, urgent: true }).lean()
    if (event === null) throw notShown()
    const { lovedOneId, linkId, receivedAt } = event
    const links = await findSharedLinks(ctx, workspaceId, [lovedOneId], call.deadline)
    if (!links.some((link) => link.linkId === linkId)) throw notShown()
    const now = new Date()
    const ofLovedOne = { workspaceId, lovedOneId, urgent: true } as const
    const upToIt = { receivedAt: { $lte: receivedAt }, $or: [{ _id: eventId }, { occurredAt: recentRange(now) }] }
    if (taken)
      await ctx.careEvents.updateMany(
        { ...ofLovedOne, ...upToIt, taken: null },
        { $set: { taken: { personId, eventId, at: now } } },
      )
    else
      await ctx.careEvents.updateMany(
        { ...ofLovedOne, 'taken.eventId': event.taken?.eventId ?? eventId },
        { $unset: { taken: 1 } },
      )
    const after = await ctx.careEvents.findOne({ _id: eventId, workspaceId }, { taken: 1 }).lean()
    return { takenBy: after?.taken?.personId ?? '' }
  }
}

const notShown = () => new StatusError('NOT_FOUND', 'This event is not on your timeline.')
