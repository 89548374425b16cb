import type { MessageRef } from '@family-inbox/proto/auth/v1/auth'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { messagePath } from '../shell/inbox-paths.ts'
import { nameOfDay, timeOf } from '../shell/moment.ts'
import { withQuery } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { Workspace } from '../shell/workspace.ts'
import type { Activity, ActivityDay, AssistantDay } from './describe-calls.ts'
import type { Assistant } from './list-assistants.ts'
import { pauseForm } from './pause-form.ts'
import { detailWords } from './people-words.ts'

const MINUTE_MS = 60_000

export type ActivityFilter = { tool: string; ended: string; person: string; assistant: string; day: string }

/** The subjects of messages that exist, by their ids; undefined while the inbox is away. */
export type SubjectOf = ReadonlyMap<string, string> | undefined

/** One of the two lists: what assistants did, and what people did. */
export type ActivityLog = {
  path: string
  title: string
  isOfPeople: boolean
  back?: { label: string; href: string }
  /** The actions to choose from, by their names. */
  labels: Readonly<Record<string, string>>
  /** @param ofAll whether the reader sees everyone's */
  intro: (workspace: Workspace, ofAll: boolean) => Html
  empty: { text: string; action: { label: string; href: string } }
  noMatch: string
}

type Shown = {
  log: ActivityLog
  workspace: Workspace
  clock: ReaderClock
  filter: ActivityFilter
  assistants: Assistant[]
  subjectOf: SubjectOf
}

/** Reads the subjects of the messages that the reader may see. */
export async function readSubjects(
  ctx: Context,
  visit: Visit,
  workspace: Workspace,
  days: ActivityDay[],
): Promise<SubjectOf> {
  const activities = days.flatMap(({ assistants }) => assistants.flatMap((one) => one.activities))
  const named = new Map(activities.flatMap(({ messages }) => messages.map((one) => [one.messageId, one])))
  const messages = [...named.values()].filter((one) => isReadable(one, workspace))
  if (messages.length === 0) return new Map()
  const read = ctx.inbox.listSubjects({ messages }, asPerson(workspace.session, visit))
  return read.then(
    ({ subjects }) => new Map(subjects.map((one) => [one.messageId, one.subject])),
    () => undefined,
  )
}

export function daySection({ day, assistants }: ActivityDay, shown: Shown): Html {
  return html`<section class="day">
<h2>${nameOfDay(day, shown.clock)}</h2>
<ul class="rows assistants">${assistants.map((assistant) => assistantRow(assistant, day, shown))}</ul>
</section>`
}

function assistantRow(one: AssistantDay, day: string, shown: Shown): Html {
  const { summary, activities, calls, isComplete, credentialId } = one
  const { filter, assistants, log } = shown
  const isChosen = filter.day !== '' && (log.isOfPeople || filter.assistant !== '')
  const [what, whole] = log.isOfPeople
    ? ['details', { ...filter, day, person: one.personId }]
    : [calls === 1 ? 'the call' : 'calls', { ...filter, day, assistant: credentialId }]
  const own = assistants.find(({ id }) => id === credentialId)
  return html`<li class="item"><div><p><bdi>${nameWords(one)}</bdi> ${summary}.</p></div>
${own && pauseForm(own, filter)}
${
  activities.length > 0 &&
  html`<details class="linked"${isChosen && html` open`}><summary>Show ${what}<span class="unseen"> of ${nameWords(one)}</span></summary>
<ul class="activities">${activities.map((activity) => activityRow(activity, shown))}</ul></details>`
}
${!isChosen && !isComplete && html`<p class="hint">Not all of ${log.isOfPeople ? 'it is' : 'its calls are'} on this page. <a href="${withQuery(log.path, whole)}">Show this day</a></p>`}</li>`
}

/** Such as "Luis Martin’s assistant (Claude)", or a person's name. */
export function nameWords({ person, owner, assistant }: AssistantDay): string {
  if (person !== undefined) return person
  return `${owner} assistant ${assistant === undefined ? 'in this app' : `(${assistant})`}`
}

function activityRow(activity: Activity, shown: Shown): Html {
  const { text, refusal, isWaiting, first, last, messages, detail = {} } = activity
  const { workspace, clock } = shown
  const isLonger = Math.floor(first.getTime() / MINUTE_MS) < Math.floor(last.getTime() / MINUTE_MS)
  const links = messages.filter((one) => isReadable(one, workspace)).flatMap((one) => messageLink(one, shown))
  const about = detailWords(detail, workspace.nameOf, workspace.lovedOnes)
  return html`<li${refusal && !isWaiting && html` class="refused"`}><p class="when">${timeOf(first, clock)}${isLonger && html` to ${timeOf(last, clock)}`}</p>
<div><p>${text.charAt(0).toUpperCase()}${text.slice(1)}${about && html` (<bdi>${about}</bdi>)`}${links.length > 0 ? ':' : '.'} ${links.length === 1 && links}</p>
${links.length > 1 && html`<ul class="plain">${links.map((link) => html`<li>${link}</li>`)}</ul>`}
${refusal && html`<p class="${isWaiting ? 'hint' : 'refusal'}">${refusal}</p>`}</div></li>`
}

function isReadable({ lovedOneId }: MessageRef, { lovedOnes }: Workspace): boolean {
  return lovedOnes.some(({ id }) => id === lovedOneId)
}

/** Of an assistant, nothing for a message that was deleted. */
function messageLink(message: MessageRef, { subjectOf, log }: Shown): Html[] {
  const subject = subjectOf === undefined ? 'Open message' : subjectOf.get(message.messageId)
  if (subject === undefined) return log.isOfPeople ? [html`<span class="hint">no longer in the inbox</span>`] : []
  return [html`<a href="${messagePath(message)}"><bdi>${subject || 'No subject'}</bdi></a>`]
}
