import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { roleWords } from '../shell/permissions.ts'
import { type SideGroup, withSidebar } from '../shell/sidebar.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { type Circle, readCircle } from './read-circle.ts'

export function besideCircle(ctx: Context, handler: WorkspaceHandler): WorkspaceHandler {
  return withSidebar('Care circle', handler, async (visit, workspace) =>
    circleList(await readCircle(ctx, visit, workspace), workspace, visit.id('id')),
  )
}

/** Everyone in the care circle; the one with this id is open. */
export function circleList(
  { people, invited }: Circle,
  { lovedOnes, canWrite }: Workspace,
  openId: string,
): SideGroup[] {
  const name = (text: string) => html`<bdi>${text}</bdi>`
  return [
    {
      title: 'People',
      links: people.map((person) => ({
        href: `/care-circle/people/${person.id}`,
        label: name(person.name),
        hint: roleWords(person.role).name,
        isCurrent: person.id === openId,
      })),
    },
    {
      title: 'Pending invitations',
      links: (canWrite ? invited : []).map(({ id, email }) => ({
        href: `/care-circle/invitations/${id}`,
        label: name(email),
        isCurrent: id === openId,
      })),
    },
    {
      title: 'People you care for',
      links: lovedOnes.map((lovedOne) => ({
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
