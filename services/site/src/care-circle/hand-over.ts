import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { asPerson } from '../shell/session.ts'
import type { WorkspaceHandler } from '../shell/workspace.ts'
import { askPage } from './confirm-page.ts'
import { readCircle, requireOwner, requirePerson } from './read-circle.ts'

/** Asks whether the care circle shall really be handed over. */
export function showHandOver(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { id, name, role } = requirePerson(await readCircle(ctx, visit, workspace), visit.param('id'))
    requireOwner(workspace)
    if (role === Role.OWNER) return { redirectTo: `/care-circle/people/${id}` }
    const page = askPage({
      workspace,
      title: 'Hand the care circle over?',
      question: html`Hand the care circle over to <bdi>${name}</bdi>?`,
      means: [
        html`<bdi>${name}</bdi> becomes its owner: they decide who is here and what each may do, you included.`,
        'You become a coordinator. You still read, reply and invite, but only an owner can make you one again.',
      ],
      action: `/care-circle/people/${id}/hand-over`,
      button: 'Hand it over',
      back: `/care-circle/people/${id}`,
    })
    return { page }
  }
}

/** Makes somebody else the owner, and the reader a coordinator. */
export function handOver(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    await ctx.careCircle.transferOwnership({ personId: visit.param('id').slice(0, 128) }, asPerson(session, visit))
    return { redirectTo: '/care-circle', flash: 'handed-over' }
  }
}
