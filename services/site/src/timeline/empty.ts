import type { LinkedAgency } from '../care-circle/read-agencies.ts'
import { emptyState } from '../shell/empty-state.ts'
import { type Html, html } from '../shell/html.ts'
import type { LovedOne, Workspace } from '../shell/workspace.ts'
import { type Filter, PERIODS } from './filter.ts'

export type EmptyTimelineData = {
  workspace: Workspace
  lovedOne: LovedOne | undefined
  agencies: LinkedAgency[] | undefined
  filter: Filter
  isFiltered: boolean
  /** The timeline's address without a filter. */
  path: string
}

/** Why nothing is on a timeline, and the one thing to do about it. */
export function emptyTimeline(data: EmptyTimelineData): Html {
  if (data.isFiltered) return nothingFound(data)
  const { workspace, lovedOne } = data
  if (workspace.lovedOnes.length === 0) return nobodyYet(workspace)
  if (data.agencies === undefined) return cannotBeTold()
  const agencies = data.agencies.filter((agency) => lovedOne === undefined || agency.lovedOne.id === lovedOne.id)
  if (agencies.length === 0) return notLinked(workspace, lovedOne)
  const sharing = agencies.filter(({ isSharing }) => isSharing)
  return sharing.length === 0 ? notShared(agencies) : nothingSent(sharing)
}

function nothingFound({ filter, path }: EmptyTimelineData): Html {
  return emptyState({
    title: 'Nothing of this kind',
    text: filter.period
      ? `Nothing like that happened in ${PERIODS[filter.period].label.toLowerCase()}, as far as anybody told us.`
      : 'Nothing like that has happened, as far as anybody told us.',
    action: { label: 'Show everything', href: path },
  })
}

function cannotBeTold(): Html {
  return emptyState({
    title: 'Nothing to show',
    text: 'Whether an agency is linked cannot be told right now. Nothing is lost; look again in a moment.',
  })
}

function nobodyYet({ canWrite }: Workspace): Html {
  return emptyState({
    title: 'Nothing yet',
    text: 'Once you have added somebody you care for, you can link the agency that looks after them.',
    ...(canWrite && { action: { label: 'Add somebody', href: '/care-circle/loved-ones/new' } }),
  })
}

function notLinked({ canWrite }: Workspace, lovedOne: LovedOne | undefined): Html {
  return emptyState({
    title: 'No agency is linked yet',
    text: `Visits, notes, medication and measurements appear here once a care agency is linked and shares them with your family. ${
      canWrite
        ? 'Make a code and give it to the agency; it does the rest.'
        : 'An owner or a coordinator of your care circle can make a code for the agency.'
    }`,
    ...(canWrite && {
      action: { label: 'Make a code', href: `/care-circle/codes/new${lovedOne ? `?for=${lovedOne.id}` : ''}` },
    }),
  })
}

function notShared(agencies: LinkedAgency[]): Html {
  return html`<div class="empty">
<h2>Linked, but not shared yet</h2>
<p>${names(agencies)} ${agencies.length === 1 ? 'is' : 'are'} linked, and sharing is switched off. Only the agency can switch it on. Ask: “Please switch on family sharing for us.”</p>
<p><a class="button" href="/care-circle#agencies">See the agencies</a></p>
</div>`
}

function nothingSent(agencies: LinkedAgency[]): Html {
  return html`<div class="empty">
<h2>Nothing has been sent yet</h2>
<p>${names(agencies)} ${agencies.length === 1 ? 'shares' : 'share'} with you. What they do appears here as soon as they send it.</p>
</div>`
}

function names(agencies: LinkedAgency[]): Html[] {
  const all = [...new Set(agencies.map(({ name }) => name))]
  return all.map((name, index) => html`${index > 0 && (index === all.length - 1 ? ' and ' : ', ')}<bdi>${name}</bdi>`)
}
