import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Context } from '../context.ts'
import { type LinkedAgency, readAgencies } from '../shell/agencies.ts'
import { type Html, html } from '../shell/html.ts'
import { dayOf } from '../shell/moment.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { copyable, initialsBadge } from '../shell/parts.ts'
import { roleWords } from '../shell/permissions.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { waitingLine } from '../shell/waiting-line.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { agenciesSection } from './agencies.ts'
import { passkeysSection } from './ask-for-passkeys.ts'
import {
  type AddressedLovedOne,
  type Code,
  type Invited,
  type Person,
  peopleOf,
  readCodes,
  readInvited,
  readLovedOnes,
} from './read-circle.ts'

export function showCircle(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const [{ signUp }, invited, lovedOnes, codes, agencies] = await Promise.all([
      ctx.readSwitches(),
      readInvited(ctx, visit, workspace),
      readLovedOnes(ctx, visit, workspace),
      readCodes(ctx, visit, workspace),
      readAgencies(ctx, visit, workspace),
    ])
    const canInvite = workspace.canWrite && signUp !== 'closed'
    const page = careCirclePage({ workspace, clock: visit.clock, invited, lovedOnes, codes, agencies, canInvite })
    return { page }
  }
}

type CareCircleData = {
  workspace: Workspace
  clock: ReaderClock
  invited: Invited[]
  lovedOnes: AddressedLovedOne[]
  agencies: LinkedAgency[] | undefined
  codes: Code[]
  canInvite: boolean
}

function careCirclePage({ workspace, clock, invited, lovedOnes, agencies, codes, canInvite }: CareCircleData): Page {
  const { canWrite } = workspace
  return sectionPage(
    { id: 'care-circle', workspace },
    {
      title: 'Care circle',
      isWide: true,
      main: html`<h1>Care circle</h1>
<p class="lead"><bdi>${workspace.name}</bdi></p>
${waitingLine({ invitations: workspace.waitingInvitations })}
<div class="halves"><div>
${peopleSection({ people: peopleOf(workspace), canInvite })}
${invitedSection({ invited, clock, canWrite })}
${lovedOnesSection({ lovedOnes, canWrite })}
</div><div>
${agenciesSection({ agencies, codes, clock, canWrite, isOwner: workspace.role === Role.OWNER, hasLovedOnes: lovedOnes.length > 0 })}
${passkeysSection(workspace)}
<section class="aside" aria-labelledby="more">
<h2 id="more">More</h2>
<ul class="plain">
<li><a href="/connect">Connect an assistant</a>, such as Claude or ChatGPT, to read this inbox with you.</li>
<li><a href="/care-circle/leave">Leave this care circle</a></li>
</ul>
</section>
</div></div>`,
    },
  )
}

type PeopleData = { people: Person[]; canInvite: boolean }

function peopleSection({ people, canInvite }: PeopleData): Html {
  return html`<section aria-labelledby="people">
<div class="heading"><h2 id="people">People</h2>${canInvite && html`<a class="button second" href="/care-circle/invite">Invite someone</a>`}</div>
<ul class="entries">${people.map(personRow)}</ul>
${people.length === 1 && canInvite && html`<p class="hint">Only you so far. Invite people who help. Everyone sees the same mail, and you decide who can reply.</p>`}
</section>`
}

function personRow({ id, name, email, role, relationship, isReader }: Person): Html {
  return html`<li><a href="/care-circle/people/${id}"><strong><bdi>${name}</bdi></strong></a>${isReader && html` <span class="you">you</span>`}
<p class="capital">${relationship !== '' && html`<bdi>${relationship}</bdi> · `}${roleWords(role).can}</p>
<p class="hint"><bdi>${email}</bdi></p></li>`
}

type LovedOnesData = { lovedOnes: AddressedLovedOne[]; canWrite: boolean }

function lovedOnesSection({ lovedOnes, canWrite }: LovedOnesData): Html {
  return html`<section aria-labelledby="loved-ones">
<div class="heading"><h2 id="loved-ones">People you care for</h2>${canWrite && html`<a class="button second" href="/care-circle/loved-ones/new">Add person</a>`}</div>
${
  lovedOnes.length > 0
    ? html`<ul class="entries">${lovedOnes.map((lovedOne) => lovedOneRow(lovedOne, canWrite))}</ul>
<p class="hint">Forward mail from doctors, pharmacies, and agencies to these addresses. Everyone in your care circle sees it here.</p>`
    : html`<p>Nobody yet. Each person you add gets a private address for their mail.</p>`
}
</section>`
}

function lovedOneRow({ id, name, position, address }: AddressedLovedOne, canWrite: boolean): Html {
  return html`<li class="with-badge">${initialsBadge(name, position)}
<div><a href="/care-circle/loved-ones/${id}"><strong><bdi>${name}</bdi></strong></a>
${
  address
    ? copyable({ id: `address-${id}`, text: address, what: `the address of ${name}` })
    : html`<p class="hint">No address${canWrite ? '. Open to get one' : ' yet'}.</p>`
}</div></li>`
}

type InvitedData = { invited: Invited[]; clock: ReaderClock; canWrite: boolean }

function invitedSection({ invited, clock, canWrite }: InvitedData): Html | undefined {
  if (invited.length === 0) return undefined
  return html`<section aria-labelledby="invited">
<h2 id="invited">Pending invitations</h2>
<ul class="entries">${invited.map(({ id, email, role, expiresAt }) => {
    const address = html`<strong><bdi>${email}</bdi></strong>`
    return html`<li>${canWrite ? html`<a href="/care-circle/invitations/${id}">${address}</a>` : address}
<p>Once they accept, they ${roleWords(role).can}</p>
${expiresAt && html`<p class="hint">Expires ${dayOf(expiresAt, clock)}</p>`}</li>`
  })}</ul>
</section>`
}
