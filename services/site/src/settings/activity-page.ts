import { Outcome } from '@family-inbox/proto/auth/v1/auth'
import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { startOfDay } from '@family-inbox/service-kit/time/calendar-day'
import type { Context } from '../context.ts'
import { selectField } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import type { Page } from '../shell/page.ts'
import { emptyState, paging, withQuery } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import {
  type ActivityFilter,
  type ActivityLog,
  daySection,
  nameWords,
  readSubjects,
  type SubjectOf,
} from './activity-rows.ts'
import { type ActivityDay, describeCalls } from './describe-calls.ts'
import { type Assistant, listAssistants } from './list-assistants.ts'
import { undoPause } from './pause-form.ts'
import { settingsPage } from './settings-page.ts'

const PAGE_SIZE = 100
const OUTCOMES: Readonly<Record<string, Outcome[]>> = {
  done: [Outcome.OK],
  refused: [Outcome.REFUSED, Outcome.INSUFFICIENT_SCOPE, Outcome.RATE_LIMITED, Outcome.FAILED, Outcome.UNAUTHENTICATED],
}
const RESULTS = [
  { value: '', label: 'All results' },
  { value: 'done', label: 'Done' },
  { value: 'refused', label: 'Refused or failed' },
]

/** Shows what is recorded: the reader's own, or everyone's for the owner; auth enforces this. */
export function showActivity(ctx: Context, log: ActivityLog): WorkspaceHandler {
  return async (visit, workspace) => {
    const filter = readFilter(visit, workspace, log)
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
      people: log.isOfPeople,
    }
    const [calls, assistants] = await Promise.all([
      ctx.auth.listAuditEntries(request, asPerson(workspace.session, visit)),
      log.isOfPeople ? [] : listAssistants(ctx, visit, workspace),
    ])
    const { nameOf, members } = workspace
    const people = { readerId: workspace.session.personId, nameOf }
    const days = describeCalls(calls, people, visit.clock)
    const page = activityPage({
      log,
      workspace,
      clock: visit.clock,
      days,
      assistants,
      subjectOf: await readSubjects(ctx, visit, workspace, days),
      filter,
      people: workspace.role === Role.OWNER ? members : [],
      nextPageToken: calls.nextPageToken,
      isFirstPage: pageToken === '',
    })
    return { page }
  }
}

/** Ignores invalid values. */
function readFilter(visit: Visit, { role }: Workspace, { labels, isOfPeople }: ActivityLog): ActivityFilter {
  const [tool, ended] = [visit.query('tool'), visit.query('ended')]
  return {
    tool: Object.hasOwn(labels, tool) ? tool : '',
    ended: Object.hasOwn(OUTCOMES, ended) && !isOfPeople ? ended : '',
    person: role === Role.OWNER ? visit.query('person').slice(0, 128) : '',
    assistant: isOfPeople ? '' : visit.query('assistant').slice(0, 128),
    day: startOfDay(visit.query('day'), visit.clock) ? visit.query('day') : '',
  }
}

type ActivityData = {
  log: ActivityLog
  workspace: Workspace
  clock: ReaderClock
  days: ActivityDay[]
  /** The reader's own, which they can pause here. */
  assistants: Assistant[]
  subjectOf: SubjectOf
  filter: ActivityFilter
  /** Empty unless the reader is the owner. */
  people: { personId: string; name: string }[]
  nextPageToken: string
  isFirstPage: boolean
}

function activityPage(data: ActivityData): Page {
  const { log, workspace, days, filter, people, nextPageToken, isFirstPage } = data
  const isFiltered = Object.values(filter).some((value) => value !== '')
  return settingsPage({
    workspace,
    title: log.title,
    ...(log.back && { back: log.back }),
    undo: undoPause(data.assistants, filter),
    main: html`<h1>${log.title}</h1>
${log.intro(workspace, people.length > 0)}
${(days.length > 0 || isFiltered) && filterForm(data, isFiltered)}
${days.length > 0 ? days.map((day) => daySection(day, data)) : emptyActivity(log, isFiltered, isFirstPage)}
${paging({
  firstHref: isFirstPage ? undefined : withQuery(log.path, filter),
  nextHref: nextPageToken === '' ? undefined : withQuery(log.path, { ...filter, after: nextPageToken }),
  words: { first: 'Newest', next: 'Earlier' },
})}`,
  })
}

function filterForm({ log, filter, people, days }: ActivityData, isFiltered: boolean): Html {
  // A link to one assistant or its day shows them first, not the form.
  const isNarrow = `${filter.tool}${filter.ended}${filter.person}` !== ''
  const nameOf = new Map(
    days.flatMap(({ assistants }) => assistants.map((assistant) => [assistant.credentialId, nameWords(assistant)])),
  )
  if (filter.assistant !== '' && !nameOf.has(filter.assistant)) nameOf.set(filter.assistant, 'The one you chose')
  return html`<details class="filter linked"${isNarrow && html` open`}>
<summary>Filter</summary>
<form method="get" action="${log.path}">
${selectField({ name: 'tool', label: 'Action', value: filter.tool, options: actionsOf(log) })}
${!log.isOfPeople && selectField({ name: 'ended', label: 'Result', value: filter.ended, options: RESULTS })}
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
${
  !log.isOfPeople &&
  selectField({
    name: 'assistant',
    label: 'Assistant',
    value: filter.assistant,
    options: [{ value: '', label: 'All assistants' }, ...[...nameOf].map(([value, label]) => ({ value, label }))],
  })
}
<div class="field"><label for="day">Day</label><input id="day" name="day" type="date" value="${filter.day}"></div>
<div class="row"><button class="second">Show</button>${isFiltered && html` <a href="${log.path}">Clear filter</a>`}</div>
</form>
</details>
${isFiltered && !isNarrow && html`<p><a href="${log.path}">All activity</a></p>`}`
}

function actionsOf({ labels }: ActivityLog) {
  const actions = Object.entries(labels).map(([value, label]) => ({ value, label }))
  return [{ value: '', label: 'All actions' }, ...actions]
}

function emptyActivity({ path, empty, noMatch }: ActivityLog, isFiltered: boolean, isFirstPage: boolean): Html {
  if (isFiltered || !isFirstPage)
    return emptyState({
      title: 'No activity found',
      text: noMatch,
      action: { label: 'Clear filter', href: path },
    })
  return emptyState({ title: 'No activity yet', ...empty })
}
