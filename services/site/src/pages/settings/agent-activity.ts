import type { Household } from '../../household.ts'
import { type Html, html } from '../../html.ts'
import type { ReaderClock } from '../../http/reader-clock.ts'
import type { Page } from '../../layout/page.ts'
import { emptyState } from '../../parts/empty-state.ts'
import { relativeDay, shortDay, timeOf } from '../../parts/moment.ts'
import { paging, withQuery } from '../../parts/paging.ts'
import { selectField } from '../../parts/select-field.ts'
import { type DayOfDeeds, type Deed, TOOLS } from '../../settings/describe-calls.ts'
import { settingsPage } from './settings-page.ts'

export type AgentActivityData = {
  household: Household
  clock: ReaderClock
  days: DayOfDeeds[]
  filter: { tool: string; ended: string; person: string }
  /** Whose activity can be chosen: everyone's for the owner, else none. */
  people: { personId: string; name: string }[]
  nextPageToken: string
  isFirstPage: boolean
}

const PATH = '/settings/agent-activity'

/** What assistants did, day by day, in sentences; what was refused too. */
export function agentActivityPage(data: AgentActivityData): Page {
  const { household, clock, days, filter, people, nextPageToken, isFirstPage } = data
  const isFiltered = Object.values(filter).some((value) => value !== '')
  return settingsPage({
    household,
    title: 'Assistant activity',
    main: html`<h1>Assistant activity</h1>
<p>Everything ${people.length > 0 ? 'your family’s assistants' : 'your assistants'} did in <bdi>${household.name}</bdi>, and what was refused. What they read or wrote is not kept here.</p>
${(days.length > 0 || isFiltered) && filterForm(data, isFiltered)}
${days.length > 0 ? days.map((day) => daySection(day, clock)) : nothing(isFiltered, isFirstPage)}
${paging({
  firstHref: isFirstPage ? undefined : withQuery(PATH, filter),
  nextHref: nextPageToken === '' ? undefined : withQuery(PATH, { ...filter, after: nextPageToken }),
  words: { first: 'Newest', next: 'Earlier' },
})}`,
  })
}

function filterForm({ filter, people }: AgentActivityData, isFiltered: boolean): Html {
  return html`<details class="filter linked"${isFiltered && html` open`}>
<summary>Show only some of it</summary>
<form method="get" action="${PATH}">
${selectField({ name: 'tool', label: 'What', value: filter.tool, options: WHAT })}
${selectField({ name: 'ended', label: 'How it ended', value: filter.ended, options: ENDED })}
${
  people.length > 0 &&
  selectField({
    name: 'person',
    label: 'Whose assistant',
    value: filter.person,
    options: [
      { value: '', label: 'Everyone’s' },
      ...people.map(({ personId, name }) => ({ value: personId, label: name })),
    ],
  })
}
<div class="row"><button class="second">Show</button>${isFiltered && html` <a href="${PATH}">Show everything</a>`}</div>
</form>
</details>`
}

const WHAT = [
  { value: '', label: 'Everything' },
  ...Object.entries(TOOLS).map(([value, { label }]) => ({ value, label })),
]
const ENDED = [
  { value: '', label: 'Done or refused' },
  { value: 'done', label: 'Done' },
  { value: 'refused', label: 'Refused or failed' },
]

function daySection({ day, deeds }: DayOfDeeds, clock: ReaderClock): Html {
  const relative = relativeDay(day, clock)
  const words = relative ? `${relative.charAt(0).toUpperCase()}${relative.slice(1)}` : shortDay(day, clock)
  return html`<section class="day">
<h2>${words}</h2>
<ul class="deeds">${deeds.map((deed) => deedRow(deed, clock))}</ul>
</section>`
}

function deedRow({ whose, assistant, text, refusal, first, last, count }: Deed, clock: ReaderClock): Html {
  const from = timeOf(first, clock)
  const to = timeOf(last, clock)
  return html`<li${refusal && html` class="refused"`}><p class="when">${from}${count > 1 && from.text !== to.text && html` to ${to}`}</p>
<div><p><bdi>${whose}</bdi> assistant ${assistant === undefined ? 'in this application' : html`(<bdi>${assistant}</bdi>)`} ${text}.</p>
${refusal && html`<p class="refusal">${refusal}</p>`}</div></li>`
}

function nothing(isFiltered: boolean, isFirstPage: boolean): Html {
  if (isFiltered || !isFirstPage)
    return emptyState({
      title: 'Nothing like that',
      text: 'No assistant did this here.',
      action: { label: 'Show everything', href: PATH },
    })
  return emptyState({
    title: 'Nothing yet',
    text: 'Once an assistant is connected, everything it does here is listed: each look into the inbox, each reply, and whatever it was refused.',
    action: { label: 'Connect an assistant', href: '/connect' },
  })
}
