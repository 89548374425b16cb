import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { asPerson } from '../shell/session.ts'
import type { WorkspaceHandler } from '../shell/workspace.ts'
import { confirmPage } from './confirm-page.ts'
import { readCircle, requireOwner, requirePerson } from './read-circle.ts'

/** Asks for confirmation. */
export function showHandOver(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { id, name, role } = requirePerson(await readCircle(ctx, visit, workspace), visit.param('id'))
    requireOwner(workspace)
    if (role === Role.OWNER) return { redirectTo: `/care-circle/people/${id}` }
    const page = confirmPage({
      workspace,
      title: 'Hand over the care circle?',
      question: html`Hand over the care circle to <bdi>${name}</bdi>?`,
      consequences: [
        html`<bdi>${name}</bdi> becomes the owner. They decide who is in the care circle and what each person can do, including you.`,
        'You become a coordinator. You can still read, reply, and invite, but only an owner can make you an owner again.',
      ],
      action: `/care-circle/people/${id}/hand-over`,
      button: 'Hand over',
      back: `/care-circle/people/${id}`,
    })
    return { page }
  }
}

/** Makes another member the owner and the reader a coordinator. */
export function handOver(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    await ctx.careCircle.transferOwnership({ personId: visit.param('id').slice(0, 128) }, asPerson(session, visit))
    return { redirectTo: '/care-circle', flash: 'handed-over' }
  }
}
