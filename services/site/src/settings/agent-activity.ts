import { Outcome } from '@family-inbox/proto/auth/v1/auth'
import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { startOfDay } from '@family-inbox/service-kit/time/calendar-day'
import type { Context } from '../context.ts'
import { selectField } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { messagePath } from '../shell/inbox-paths.ts'
import { nameOfDay, timeOf } from '../shell/moment.ts'
import type { Page } from '../shell/page.ts'
import { emptyState, paging, withQuery } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { TOOLS } from './activity-words.ts'
import { type Activity, type ActivityDay, type AssistantDay, describeCalls } from './describe-calls.ts'
import { settingsPage } from './settings-page.ts'

const ACTIVITY_PATH = '/settings/agent-activity'
const PAGE_SIZE = 100
const MINUTE_MS = 60_000
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
    const filter = readFilter(visit, workspace)
    const pageToken = visit.query('after')
    const request = {
      pageSize: PAGE_SIZE,
      pageToken,
      tool: filter.tool,
      outcomes: OUTCOMES[filter.ended] ?? [],
      personId: filter.person,
      credentialId: filter.assistant || undefined,
      day: filter.day || undefined,
      timeZone: visit.clock.timeZone,
    }
    const calls = await ctx.auth.listAuditEntries(request, asPerson(workspace.session, visit))
    const { nameOf, members } = workspace
    const readers = { readerId: workspace.session.personId, nameOf }
    const page = agentActivityPage({
      workspace,
      clock: visit.clock,
      days: describeCalls(calls, readers, visit.clock),
      filter,
      people: workspace.role === Role.OWNER ? members : [],
      nextPageToken: calls.nextPageToken,
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
    assistant: visit.query('assistant').slice(0, 128),
    day: startOfDay(visit.query('day'), visit.clock) ? visit.query('day') : '',
  }
}

type AgentActivityData = {
  workspace: Workspace
  clock: ReaderClock
  days: ActivityDay[]
  filter: { tool: string; ended: string; person: string; assistant: string; day: string }
  /** Empty unless the reader is the owner. */
  people: { personId: string; name: string }[]
  nextPageToken: string
  isFirstPage: boolean
}

function agentActivityPage(data: AgentActivityData): Page {
  const { workspace, days, filter, people, nextPageToken, isFirstPage } = data
  const isFiltered = Object.values(filter).some((value) => value !== '')
  return settingsPage({
    workspace,
    title: 'Assistant activity',
    main: html`<h1>Assistant activity</h1>
<p>Everything ${people.length > 0 ? 'your family’s assistants' : 'your assistants'} did in <bdi>${workspace.name}</bdi>, including refused calls. The content they read or wrote is not recorded.</p>
${(days.length > 0 || isFiltered) && filterForm(data, isFiltered)}
${days.length > 0 ? days.map((day) => daySection(day, data)) : emptyActivity(isFiltered, isFirstPage)}
${paging({
  firstHref: isFirstPage ? undefined : withQuery(ACTIVITY_PATH, filter),
  nextHref: nextPageToken === '' ? undefined : withQuery(ACTIVITY_PATH, { ...filter, after: nextPageToken }),
  words: { first: 'Newest', next: 'Earlier' },
})}`,
  })
}

function filterForm({ filter, people, days }: AgentActivityData, isFiltered: boolean): Html {
  const nameOf = new Map(
    days.flatMap(({ assistants }) => assistants.map((assistant) => [assistant.credentialId, nameWords(assistant)])),
  )
  if (filter.assistant !== '' && !nameOf.has(filter.assistant)) nameOf.set(filter.assistant, 'The one you chose')
  return html`<details class="filter linked"${isFiltered && html` open`}>
<summary>Filter</summary>
<form method="get" action="${ACTIVITY_PATH}">
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
${selectField({
  name: 'assistant',
  label: 'Assistant',
  value: filter.assistant,
  options: [{ value: '', label: 'All assistants' }, ...[...nameOf].map(([value, label]) => ({ value, label }))],
})}
<div class="field"><label for="day">Day</label><input id="day" name="day" type="date" value="${filter.day}"></div>
<div class="row"><button class="second">Show</button>${isFiltered && html` <a href="${ACTIVITY_PATH}">Clear filter</a>`}</div>
</form>
</details>`
}

function daySection({ day, assistants }: ActivityDay, data: AgentActivityData): Html {
  return html`<section class="day">
<h2>${nameOfDay(day, data.clock)}</h2>
<ul class="rows assistants">${assistants.map((assistant) => assistantRow(assistant, day, data))}</ul>
</section>`
}

function assistantRow(one: AssistantDay, day: string, { workspace, clock, filter }: AgentActivityData): Html {
  const { summary, activities, calls, isComplete, credentialId } = one
  const isChosen = filter.day !== '' && filter.assistant !== ''
  return html`<li><p><bdi>${nameWords(one)}</bdi> ${summary}.</p>
${
  activities.length > 0 &&
  html`<details class="linked"${isChosen && html` open`}><summary>Show ${calls === 1 ? 'the call' : 'calls'}<span class="unseen"> of ${nameWords(one)}</span></summary>
<ul class="activities">${activities.map((activity) => activityRow(activity, workspace, clock))}</ul></details>`
}
${!isChosen && !isComplete && html`<p class="hint">Not all of its calls are on this page. <a href="${withQuery(ACTIVITY_PATH, { ...filter, day, assistant: credentialId })}">Show this day</a></p>`}</li>`
}

/** Such as "Luis Martin’s assistant (Claude)". */
function nameWords({ owner, assistant }: AssistantDay): string {
  return `${owner} assistant ${assistant === undefined ? 'in this app' : `(${assistant})`}`
}

function activityRow(
  { text, refusal, first, last, messages }: Activity,
  workspace: Workspace,
  clock: ReaderClock,
): Html {
  const isLonger = Math.floor(first.getTime() / MINUTE_MS) < Math.floor(last.getTime() / MINUTE_MS)
  const readable = messages.filter(({ message }) => workspace.lovedOnes.some(({ id }) => id === message.lovedOneId))
  return html`<li${refusal && html` class="refused"`}><p class="when">${timeOf(first, clock)}${isLonger && html` to ${timeOf(last, clock)}`}</p>
<div><p>${text.charAt(0).toUpperCase()}${text.slice(1)}. ${messageLinks(readable, clock)}</p>
${refusal && html`<p class="refusal">${refusal}</p>`}</div></li>`
}

/** Nothing is recorded of a message but its id, so a link has the time of its call. */
function messageLinks(messages: Activity['messages'], clock: ReaderClock): Html | undefined {
  const [first] = messages
  if (first === undefined) return undefined
  if (messages.length === 1) return html`<a href="${messagePath(first.message)}">Open message</a>`
  return html`Open messages: ${messages.map(
    ({ message, at }, index) => html`${index > 0 && ', '}<a href="${messagePath(message)}">${timeOf(at, clock)}</a>`,
  )}`
}

function emptyActivity(isFiltered: boolean, isFirstPage: boolean): Html {
  if (isFiltered || !isFirstPage)
    return emptyState({
      title: 'No activity found',
      text: 'No call matches this filter.',
      action: { label: 'Clear filter', href: ACTIVITY_PATH },
    })
  return emptyState({
    title: 'No activity yet',
    text: 'Once you connect an assistant, every call it makes appears here, including refused ones.',
    action: { label: 'Connect an assistant', href: '/connect' },
  })
}
