import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { StoppedRecipient } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { radioField } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { dayOf } from '../shell/moment.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { readRole, roleWords } from '../shell/permissions.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import { type SideGroup, sidebarLayout } from '../shell/sidebar.ts'
import { readStop, stopNotice } from '../shell/stopped-recipient.ts'
import { requireOwner, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { readCircleList } from './circle-list.ts'
import { confirmPage } from './confirm-page.ts'
import { isOnlyOwner, type Person, peopleOf, requirePerson } from './read-circle.ts'

export function showPerson(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const person = requirePerson(workspace, visit.id('id'))
    const chosenRole = visit.restoredField('role') || undefined
    const [list, stop] = await Promise.all([
      readCircleList(ctx, visit, workspace, person.id),
      readStop(ctx, visit, workspace, person.email),
    ])
    return { page: personPage({ workspace, clock: visit.clock, person, list, chosenRole, stop }) }
  }
}

export function changeRole(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    const personId = visit.id('id')
    const word = visit.field('role')
    await ctx.careCircle.changeRole({ personId, role: readRole(word) }, asPerson(session, visit))
    await ctx.recordAct(session, { act: 'change_role', detail: { personId, word } })
    return { redirectTo: '/care-circle', flash: 'role-changed' }
  }
}

type PersonData = {
  workspace: Workspace
  clock: ReaderClock
  person: Person
  list: SideGroup[]
  /** The role the reader selected before they had to confirm their identity. */
  chosenRole?: string
  /** If they get no notifications for now. */
  stop?: StoppedRecipient | undefined
}

/** The page of one member. Also explains to the only owner why they cannot leave. */
export function personPage({ workspace, clock, person, list, chosenRole, stop }: PersonData): Page {
  const { name, email, role, relationship, joinedAt, isReader } = person
  return sectionPage(
    { id: 'care-circle', workspace },
    {
      title: `${isReader ? 'You' : name}, in the care circle`,
      isWide: true,
      main: sidebarLayout(
        'Care circle',
        list,
        html`<p class="up"><a href="/care-circle">Care circle</a></p>
<h1><bdi>${name}</bdi>${isReader && html` <span class="you">you</span>`}</h1>
<dl class="facts">
<div><dt>Role</dt><dd class="capital">${roleWords(role).name}: ${roleWords(role).can}</dd></div>
${relationship !== '' && html`<div><dt>Relationship</dt><dd class="capital"><bdi>${relationship}</bdi></dd></div>`}
<div><dt>Email address</dt><dd><bdi>${email}</bdi></dd></div>
${joinedAt && html`<div><dt>Joined</dt><dd>${dayOf(joinedAt, clock)}</dd></div>`}
</dl>
${stopNotice({ stop, workspace, clock, action: `/care-circle/people/${person.id}/allow` })}
${changes(person, peopleOf(workspace), workspace, chosenRole)}`,
      ),
    },
  )
}

function changes(
  person: Person,
  people: Person[],
  workspace: Workspace,
  chosenRole = roleWords(person.role).name,
): Html | undefined {
  if (isOnlyOwner(person, people)) return person.isReader ? onlyOwner(people) : undefined
  if (workspace.role === Role.OWNER)
    return html`${roleForm(person, chosenRole)}${!person.isReader && ownersLinks(person)}`
  return person.isReader ? html`<p><a href="/care-circle/leave">Leave this care circle</a></p>` : undefined
}

function onlyOwner(people: Person[]): Html {
  return html`<div class="notice"><h2>You’re the only owner</h2>
<p>A care circle needs an owner. ${
    people.length > 1
      ? 'To leave or change your role, open someone else in the list and hand over the care circle, or make them an owner too.'
      : 'To leave, first invite someone and hand over the care circle to them.'
  }</p></div>`
}

function roleForm({ id, isReader }: Person, chosenRole: string): Html {
  return html`<form method="post" action="/care-circle/people/${id}">
${radioField({
  name: 'role',
  legend: isReader ? 'What you can do' : 'What they can do',
  value: chosenRole,
  options: [
    { value: 'owner', label: 'Owner', hint: 'Reads, replies, invites, and decides who is here and what they can do.' },
    { value: 'coordinator', label: 'Coordinator', hint: 'Reads, replies, and invites others.' },
    {
      value: 'viewer',
      label: 'Viewer',
      hint: 'Reads only. Their unused invitations and codes are canceled.',
    },
  ],
})}
<button>Save role</button>
</form>`
}

function ownersLinks({ id, name, role }: Person): Html {
  return html`<section class="aside" aria-labelledby="more">
<h2 id="more">More</h2>
<ul class="plain">
${role !== Role.OWNER && html`<li><a href="/care-circle/people/${id}/hand-over">Hand over the care circle to <bdi>${name}</bdi></a></li>`}
<li><a href="/care-circle/people/${id}/remove">Remove <bdi>${name}</bdi></a></li>
</ul>
</section>`
}

export function showHandOver(): WorkspaceHandler {
  return async (visit, workspace) => {
    const { id, name, role } = requirePerson(workspace, visit.id('id'))
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
    const personId = visit.id('id')
    await ctx.careCircle.transferOwnership({ personId }, asPerson(session, visit))
    await ctx.recordAct(session, { act: 'change_role', detail: { personId, word: 'owner' } })
    return { redirectTo: '/care-circle', flash: 'handed-over' }
  }
}
