import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { asPerson } from '../shell/session.ts'
import { requireOwner, type WorkspaceHandler } from '../shell/workspace.ts'
import { readCircleList } from './circle-list.ts'
import { confirmPage } from './confirm-page.ts'
import { personPage } from './person.ts'
import { isOnlyOwner, peopleOf, requirePerson } from './read-circle.ts'

export function showRemovePerson(): WorkspaceHandler {
  return async (visit, workspace) => {
    const { id, name, isReader } = requirePerson(workspace, visit.id('id'))
    if (isReader) return { redirectTo: '/care-circle/leave' }
    requireOwner(workspace)
    const page = confirmPage({
      workspace,
      title: 'Remove from the care circle?',
      question: html`Remove <bdi>${name}</bdi> from the care circle?`,
      consequences: [
        'They lose access to its mail, timeline, and people right away. Their assistants and tool keys stop working here too.',
        'Their unused invitations and codes are canceled. Messages they forwarded and replies they sent stay.',
        'We don’t notify anyone. You can invite them again.',
      ],
      action: `/care-circle/people/${id}/remove`,
      button: 'Remove person',
      back: `/care-circle/people/${id}`,
    })
    return { page }
  }
}

export function removePerson(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    const personId = visit.id('id')
    await ctx.careCircle.removeMember({ personId }, asPerson(session, visit))
    await ctx.recordAct(session, { act: 'remove_person', detail: { personId } })
    return { redirectTo: '/care-circle', flash: 'person-removed' }
  }
}

/** Asks for confirmation. The only owner sees why they cannot leave. */
export function showLeave(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const person = requirePerson(workspace, workspace.session.personId)
    if (isOnlyOwner(person, peopleOf(workspace))) {
      const list = await readCircleList(ctx, visit, workspace, person.id)
      return { page: personPage({ workspace, clock: visit.clock, person, list }) }
    }
    const page = confirmPage({
      workspace,
      title: 'Leave this care circle?',
      question: html`Leave <bdi>${workspace.name}</bdi>?`,
      consequences: [
        'You lose access to its mail, timeline, and people right away. Your assistants and tool keys stop working here too.',
        'Your unused invitations and codes are canceled. Messages you forwarded and replies you sent stay.',
        'You can come back only if someone invites you again.',
      ],
      action: '/care-circle/leave',
      button: 'Leave',
      back: '/care-circle',
    })
    return { page }
  }
}

export function leave(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    await ctx.careCircle.removeMember({ personId: session.personId }, asPerson(session, visit))
    await ctx.recordAct(session, { act: 'leave_family' })
    return { redirectTo: '/families', flash: 'left' }
  }
}
