import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { roleWords } from '../shell/permissions.ts'
import { type SideGroup, withSidebar } from '../shell/sidebar.ts'
import type { Visit } from '../shell/visit.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { type Invited, peopleOf, readInvited } from './read-circle.ts'

export function besideCircle(ctx: Context, handler: WorkspaceHandler): WorkspaceHandler {
  return withSidebar('Care circle', handler, (visit, workspace) =>
    readCircleList(ctx, visit, workspace, visit.id('id')),
  )
}

/** Viewers do not see who is invited. */
export async function readCircleList(
  ctx: Context,
  visit: Visit,
  workspace: Workspace,
  openId: string,
): Promise<SideGroup[]> {
  return circleList(workspace.canWrite ? await readInvited(ctx, visit, workspace) : [], workspace, openId)
}

/** Everyone in the care circle; the one with this id is open. */
export function circleList(invited: Invited[], workspace: Workspace, openId: string): SideGroup[] {
  const name = (text: string) => html`<bdi>${text}</bdi>`
  return [
    {
      title: 'People',
      links: peopleOf(workspace).map((person) => ({
        href: `/care-circle/people/${person.id}`,
        label: name(person.name),
        hint: roleWords(person.role).name,
        isCurrent: person.id === openId,
      })),
    },
    {
      title: 'Pending invitations',
      links: invited.map(({ id, email }) => ({
        href: `/care-circle/invitations/${id}`,
        label: name(email),
        isCurrent: id === openId,
      })),
    },
    {
      title: 'People you care for',
      links: workspace.lovedOnes.map((lovedOne) => ({
        href: `/care-circle/loved-ones/${lovedOne.id}`,
        label: name(lovedOne.name),
        isCurrent: lovedOne.id === openId,
      })),
    },
    {
      title: 'Agencies',
      links: [{ href: '/care-circle#agencies', label: 'Care agencies and codes', isCurrent: false }],
    },
  ]
}
