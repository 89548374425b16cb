import type { LinkedAgency } from '../shell/agencies.ts'
import { type Html, html } from '../shell/html.ts'
import { emptyState } from '../shell/parts.ts'
import type { LovedOne, Workspace } from '../shell/workspace.ts'

type EmptyTimelineData = {
  workspace: Workspace
  lovedOne: LovedOne | undefined
  agencies: LinkedAgency[] | undefined
  isFiltered: boolean
  path: string
  /** The kind of event on the page; everything by default. */
  what?: 'readings' | 'medication'
}

export function emptyTimeline(data: EmptyTimelineData): Html {
  if (data.isFiltered) return nothingFound(data)
  const { workspace, lovedOne } = data
  if (workspace.lovedOnes.length === 0) return noLovedOne(workspace)
  if (data.agencies === undefined) return agenciesUnavailable()
  const agencies = data.agencies.filter((agency) => lovedOne === undefined || agency.lovedOne.id === lovedOne.id)
  if (agencies.length === 0) return notLinked(workspace, lovedOne)
  const sharing = agencies.filter(({ isSharing }) => isSharing)
  return sharing.length === 0 ? notShared(agencies) : nothingSent(sharing, data.what)
}

function nothingFound({ path }: EmptyTimelineData): Html {
  return emptyState({
    title: 'Nothing found',
    text: 'Nothing on this timeline matches your filters.',
    action: { label: 'Clear filters', href: path },
  })
}

function agenciesUnavailable(): Html {
  return emptyState({
    title: 'Nothing to show',
    text: 'We can’t load your care agencies right now. Nothing is lost. Try again in a moment.',
  })
}

function noLovedOne({ canWrite }: Workspace): Html {
  return emptyState({
    title: 'Nothing yet',
    text: 'Add the person you care for, then link their care agency.',
    ...(canWrite && { action: { label: 'Add person', href: '/care-circle/loved-ones/new' } }),
  })
}

function notLinked({ canWrite }: Workspace, lovedOne: LovedOne | undefined): Html {
  return emptyState({
    title: 'No agency linked yet',
    text: `Visits, notes, medication, and readings appear here once a care agency is linked and sharing is on. ${
      canWrite
        ? 'Create a code and give it to the agency.'
        : 'An owner or coordinator can create a code for the agency.'
    }`,
    ...(canWrite && {
      action: { label: 'Create code', href: `/care-circle/codes/new${lovedOne ? `?for=${lovedOne.id}` : ''}` },
    }),
  })
}

function notShared(agencies: LinkedAgency[]): Html {
  return html`<div class="empty">
<h2>Linked, but sharing is off</h2>
<p>${names(agencies)} ${agencies.length === 1 ? 'is' : 'are'} linked, but sharing is off. Only the agency can turn it on. Ask: “Please turn on family sharing for us.”</p>
<p><a class="button" href="/care-circle#agencies">See agencies</a></p>
</div>`
}

function nothingSent(agencies: LinkedAgency[], what: EmptyTimelineData['what']): Html {
  return html`<div class="empty">
<h2>${what ? `No ${what} sent yet` : 'Nothing sent yet'}</h2>
<p>${names(agencies)} ${agencies.length === 1 ? 'shares' : 'share'} with you. Updates appear here as soon as they are sent.</p>
</div>`
}

function names(agencies: LinkedAgency[]): Html[] {
  const all = [...new Set(agencies.map(({ name }) => name))]
  return all.map((name, index) => html`${index > 0 && (index === all.length - 1 ? ' and ' : ', ')}<bdi>${name}</bdi>`)
}
