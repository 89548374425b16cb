import { Outcome } from '@family-inbox/proto/auth/v1/auth'
import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Context } from '../context.ts'
import { selectField } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { relativeDay, shortDay, timeOf } from '../shell/moment.ts'
import type { Page } from '../shell/page.ts'
import { emptyState, paging, withQuery } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { type Activity, type ActivityDay, describeCalls, TOOLS } from './describe-calls.ts'
import { settingsPage } from './settings-page.ts'

const PATH = '/settings/agent-activity'
const PAGE_SIZE = 100
const OUTCOMES: Readonly<Record<string, Outcome[]>> = {
  done: [Outcome.OK],
  refused: [Outcome.REFUSED, Outcome.INSUFFICIENT_SCOPE, Outcome.RATE_LIMITED, Outcome.FAILED, Outcome.UNAUTHENTICATED],
}
const ACTIONS = [
  { value: '', label: 'All actions' },
  ...Object.entries(TOOLS).map(([value, { label }]) => ({ value, label })),
]
const RESULTS = [
  { value: '', label: 'All results' },
  { value: 'done', label: 'Done' },
  { value: 'refused', label: 'Refused or failed' },
]

/** Shows recorded calls: the reader's own, or everyone's for the owner; auth enforces this. */
export function showAgentActivity(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const person = asPerson(workspace.session, visit)
    const filter = readFilter(visit, workspace)
    const pageToken = visit.query('after')
    const request = {
      pageSize: PAGE_SIZE,
      pageToken,
      tool: filter.tool,
      outcomes: OUTCOMES[filter.ended] ?? [],
      personId: filter.person,
    }
    const [{ entries: calls, credentials, nextPageToken }, { members }] = await Promise.all([
      ctx.auth.listAuditEntries(request, person),
      ctx.careCircle.listMembers({}, person),
    ])
    const people = members.filter(({ personId }) => personId !== '')
    const nameOf = new Map(people.map(({ personId, name }) => [personId, name]))
    const readers = { readerId: workspace.session.personId, nameOf }
    const page = agentActivityPage({
      workspace,
      clock: visit.clock,
      days: describeCalls(calls, credentials, readers, visit.clock),
      filter,
      people: workspace.role === Role.OWNER ? people : [],
      nextPageToken,
      isFirstPage: pageToken === '',
    })
    return { page }
  }
}

/** Ignores invalid values. */
function readFilter(visit: Visit, { role }: Workspace) {
  const [tool, ended] = [visit.query('tool'), visit.query('ended')]
  return {
    tool: Object.hasOwn(TOOLS, tool) ? tool : '',
    ended: Object.hasOwn(OUTCOMES, ended) ? ended : '',
    person: role === Role.OWNER ? visit.query('person').slice(0, 128) : '',
  }
}

type AgentActivityData = {
  workspace: Workspace
  clock: ReaderClock
  days: ActivityDay[]
  filter: { tool: string; ended: string; person: string }
  /** Empty unless the reader is the owner. */
  people: { personId: string; name: string }[]
  nextPageToken: string
  isFirstPage: boolean
}

function agentActivityPage(data: AgentActivityData): Page {
  const { workspace, clock, days, filter, people, nextPageToken, isFirstPage } = data
  const isFiltered = Object.values(filter).some((value) => value !== '')
  return settingsPage({
    workspace,
    title: 'Assistant activity',
    main: html`<h1>Assistant activity</h1>
<p>Everything ${people.length > 0 ? 'your family’s assistants' : 'your assistants'} did in <bdi>${workspace.name}</bdi>, including refused calls. The content they read or wrote is not recorded.</p>
${(days.length > 0 || isFiltered) && filterForm(data, isFiltered)}
${days.length > 0 ? days.map((day) => daySection(day, clock)) : emptyActivity(isFiltered, isFirstPage)}
${paging({
  firstHref: isFirstPage ? undefined : withQuery(PATH, filter),
  nextHref: nextPageToken === '' ? undefined : withQuery(PATH, { ...filter, after: nextPageToken }),
  words: { first: 'Newest', next: 'Earlier' },
})}`,
  })
}

function filterForm({ filter, people }: AgentActivityData, isFiltered: boolean): Html {
  return html`<details class="filter linked"${isFiltered && html` open`}>
<summary>Filter</summary>
<form method="get" action="${PATH}">
${selectField({ name: 'tool', label: 'Action', value: filter.tool, options: ACTIONS })}
${selectField({ name: 'ended', label: 'Result', value: filter.ended, options: RESULTS })}
${
  people.length > 0 &&
  selectField({
    name: 'person',
    label: 'Person',
    value: filter.person,
    options: [
      { value: '', label: 'Everyone' },
      ...people.map(({ personId, name }) => ({ value: personId, label: name })),
    ],
  })
}
<div class="row"><button class="second">Show</button>${isFiltered && html` <a href="${PATH}">Clear filter</a>`}</div>
</form>
</details>`
}

function daySection({ day, activities }: ActivityDay, clock: ReaderClock): Html {
  const relative = relativeDay(day, clock)
  const words = relative ? `${relative.charAt(0).toUpperCase()}${relative.slice(1)}` : shortDay(day, clock)
  return html`<section class="day">
<h2>${words}</h2>
<ul class="activities">${activities.map((activity) => activityRow(activity, clock))}</ul>
</section>`
}

function activityRow({ owner, assistant, text, refusal, first, last, count }: Activity, clock: ReaderClock): Html {
  const from = timeOf(first, clock)
  const to = timeOf(last, clock)
  return html`<li${refusal && html` class="refused"`}><p class="when">${from}${count > 1 && from.text !== to.text && html` to ${to}`}</p>
<div><p><bdi>${owner}</bdi> assistant ${assistant === undefined ? 'in this app' : html`(<bdi>${assistant}</bdi>)`} ${text}.</p>
${refusal && html`<p class="refusal">${refusal}</p>`}</div></li>`
}

function emptyActivity(isFiltered: boolean, isFirstPage: boolean): Html {
  if (isFiltered || !isFirstPage)
    return emptyState({
      title: 'No activity found',
      text: 'No call matches this filter.',
      action: { label: 'Clear filter', href: PATH },
    })
  return emptyState({
    title: 'No activity yet',
    text: 'Once you connect an assistant, every call it makes appears here, including refused ones.',
    action: { label: 'Connect an assistant', href: '/connect' },
  })
}
