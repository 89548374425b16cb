import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { asPerson } from '../shell/session.ts'
import type { WorkspaceHandler } from '../shell/workspace.ts'
import { askPage } from './confirm-page.ts'
import { readCircle, requireOwner, requirePerson } from './read-circle.ts'

/** Asks whether somebody shall really be removed. */
export function showRemovePerson(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { id, name, isReader } = requirePerson(await readCircle(ctx, visit, workspace), visit.param('id'))
    if (isReader) return { redirectTo: '/care-circle/leave' }
    requireOwner(workspace)
    const page = askPage({
      workspace,
      title: 'Remove from the care circle?',
      question: html`Remove <bdi>${name}</bdi> from the care circle?`,
      means: [
        'They see nothing of it from that moment on: no mail, no timeline, no people. Their assistants and tool keys stop working here too.',
        'Invitations they sent and codes they made end, where nobody has used them yet. What they forwarded and replied stays.',
        'Nobody is told. You can invite them again.',
      ],
      action: `/care-circle/people/${id}/remove`,
      button: 'Remove them',
      back: `/care-circle/people/${id}`,
    })
    return { page }
  }
}

/** Removes somebody from the care circle. */
export function removePerson(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    await ctx.careCircle.removeMember({ personId: visit.param('id').slice(0, 128) }, asPerson(session, visit))
    return { redirectTo: '/care-circle', flash: 'person-removed' }
  }
}
