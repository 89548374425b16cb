import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { asPerson } from '../shell/session.ts'
import { requireLovedOne, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import type { TimelineEvent } from './event.ts'
import { timelinePath } from './frame.ts'

/** "I'm on it", from the top of any page, and its opposite. */
export function takeUrgent(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { session } = workspace
    const lovedOne = requireLovedOne(workspace, visit.id('lovedOneId'))
    const taken = visit.field('taken') === '1'
    const request = { eventId: visit.field('event').slice(0, 128), taken }
    const { takenBy } = await ctx.careCircle.setUrgentEventTaken(request, asPerson(session, visit))
    const isDone = takenBy === (taken ? session.personId : '')
    const flash = isDone ? (taken ? 'urgent-taken' : 'urgent-released') : 'someone-was-faster'
    return { redirectTo: timelinePath(lovedOne.id, 'days'), flash }
  }
}

/** Who is on it, in the event's row. */
export function takenLine({ id, lovedOne, takenBy }: TimelineEvent, { session, nameOf }: Workspace): Html | undefined {
  if (takenBy === undefined || takenBy === '') return undefined
  if (takenBy !== session.personId)
    return html`<p class="hint"><bdi>${nameOf.get(takenBy) ?? 'Someone'}</bdi> is on it</p>`
  return html`<form class="taken-urgent" method="post" action="/timeline/${lovedOne.id}/urgent"><input type="hidden" name="event" value="${id}"><span class="hint">You’re on it</span> <button class="quiet">Release</button></form>`
}
