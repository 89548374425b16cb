import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { asPerson } from '../shell/session.ts'
import type { WorkspaceHandler } from '../shell/workspace.ts'
import { askPage } from './confirm-page.ts'
import { personPage } from './person.ts'
import { isOnlyOwner, readCircle, requirePerson } from './read-circle.ts'

/** Asks whether the reader really wants to leave; the only owner is shown why they cannot. */
export function showLeave(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const circle = await readCircle(ctx, visit, workspace)
    const { people } = circle
    const reader = requirePerson(circle, workspace.session.personId)
    if (isOnlyOwner(reader, people))
      return { page: personPage({ workspace, clock: visit.clock, person: reader, people }) }
    const page = askPage({
      workspace,
      title: 'Leave this care circle?',
      question: html`Leave <bdi>${workspace.name}</bdi>?`,
      means: [
        'You see nothing of it from that moment on: no mail, no timeline, no people. Your assistants and tool keys stop working here too.',
        'Invitations you sent and codes you made end, where nobody has used them yet. What you forwarded and replied stays.',
        'You come back only if somebody invites you again.',
      ],
      action: '/care-circle/leave',
      button: 'Leave',
      back: '/care-circle',
    })
    return { page }
  }
}

/** Takes the reader out of the care circle, and leads to another of theirs, or to making one. */
export function leave(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    await ctx.careCircle.removeMember({ personId: session.personId }, asPerson(session, visit))
    return { redirectTo: '/families', flash: 'left' }
  }
}
