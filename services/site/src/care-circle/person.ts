import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Context } from '../context.ts'
import { radioField } from '../shell/form-controls.ts'
import { type Html, html } from '../shell/html.ts'
import { dayOf } from '../shell/moment.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { readRole, roleWords } from '../shell/role.ts'
import { asPerson } from '../shell/session.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { isOnlyOwner, type Person, readCircle, requirePerson } from './read-circle.ts'

/** Shows one person of the care circle. */
export function showPerson(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const circle = await readCircle(ctx, visit, workspace)
    const person = requirePerson(circle, visit.param('id'))
    const chosenRole = visit.restoredField('role') || undefined
    return { page: personPage({ workspace, clock: visit.clock, person, people: circle.people, chosenRole }) }
  }
}

/** Gives a person of the care circle another role. */
export function changeRole(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    const personId = visit.param('id').slice(0, 128)
    await ctx.careCircle.changeRole({ personId, role: readRole(visit.field('role')) }, asPerson(session, visit))
    return { redirectTo: '/care-circle', flash: 'role-changed' }
  }
}

type PersonData = {
  workspace: Workspace
  clock: ReaderClock
  person: Person
  people: Person[]
  /** The role the reader had ticked before they confirmed that it is them. */
  chosenRole?: string
}

/** One person of the care circle: who they are to the family, what they can do, and, for owners, what can be changed. */
export function personPage({ workspace, clock, person, people, chosenRole }: PersonData): Page {
  const { name, email, role, relationship, joinedAt, isReader } = person
  return sectionPage(
    { id: 'care-circle', workspace },
    {
      title: `${isReader ? 'You' : name}, in the care circle`,
      main: html`<p class="up"><a href="/care-circle">Care circle</a></p>
<h1><bdi>${name}</bdi>${isReader && html` <span class="you">you</span>`}</h1>
<dl class="facts">
<div><dt>In this circle</dt><dd class="capital">${roleWords(role).name}: ${roleWords(role).can}</dd></div>
${relationship !== '' && html`<div><dt>To the person cared for</dt><dd class="capital"><bdi>${relationship}</bdi></dd></div>`}
<div><dt>Email address</dt><dd><bdi>${email}</bdi></dd></div>
${joinedAt && html`<div><dt>Here since</dt><dd>${dayOf(joinedAt, clock)}</dd></div>`}
</dl>
${changes(person, people, workspace, chosenRole)}`,
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

/** The rule, before anybody runs into it. */
function onlyOwner(people: Person[]): Html {
  return html`<div class="notice"><h2>You are the only owner</h2>
<p>A care circle always has an owner. ${
    people.length > 1
      ? 'To leave, or to have another role, first open somebody else in the list and hand the circle over to them, or make them an owner beside you.'
      : 'To leave, invite somebody first and hand the circle over to them.'
  }</p></div>`
}

function roleForm({ id, isReader }: Person, chosenRole: string): Html {
  return html`<form method="post" action="/care-circle/people/${id}">
${radioField({
  name: 'role',
  legend: isReader ? 'What you may do' : 'What they may do',
  value: chosenRole,
  options: [
    { value: 'owner', label: 'Owner', hint: 'Reads, replies, invites, and decides who is here and what they may do.' },
    { value: 'coordinator', label: 'Coordinator', hint: 'Reads, replies and invites others.' },
    {
      value: 'viewer',
      label: 'Viewer',
      hint: 'Reads. Invitations they sent and codes they made that nobody has used yet end.',
    },
  ],
})}
<button>Save</button>
</form>`
}

function ownersLinks({ id, name, role }: Person): Html {
  return html`<section class="aside" aria-labelledby="more">
<h2 id="more">More</h2>
<ul class="plain">
${role !== Role.OWNER && html`<li><a href="/care-circle/people/${id}/hand-over">Hand the care circle over to <bdi>${name}</bdi></a></li>`}
<li><a href="/care-circle/people/${id}/remove">Remove <bdi>${name}</bdi></a></li>
</ul>
</section>`
}
