import { setTimeout as sleep } from 'node:timers/promises'
import type { InboxEntry } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { whenOf } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import type { Visit } from '../shell/visit.ts'
import type { LovedOne, Workspace } from '../shell/workspace.ts'
import type { TimelineEvent } from '../timeline/event.ts'
import { readEventPage } from '../timeline/event-pages.ts'
import { sentenceOf } from '../timeline/sentence.ts'
import { isFiltered, listHref, type MailList, messageHref } from './mail-list.ts'
import { appointmentMail, openQuestions } from './open-questions.ts'
import { senderName } from './sender.ts'

/** The inbox does not wait longer for the timeline. */
const PATIENCE_MS = 400
const MAX_ROWS = 4

/** The latest visit, medication and reading of each loved one; none if the timeline is slow or away. */
export async function readLatest(
  ctx: Context,
  visit: Visit,
  workspace: Workspace,
  about?: LovedOne,
): Promise<TimelineEvent[]> {
  const lovedOnes = (about ? [about] : workspace.lovedOnes).slice(0, MAX_ROWS)
  const read = Promise.all(
    lovedOnes.map((lovedOne) =>
      readEventPage(ctx, visit, workspace, {
        lovedOne,
        cursor: { lovedOneId: lovedOne.id, pageToken: '', skip: 0 },
        filter: { period: 'week' },
      }),
    ),
  )
  const waiting = new AbortController()
  const late = sleep(PATIENCE_MS, [], { signal: waiting.signal })
  const pages = await Promise.race([read.catch(() => []), late])
  waiting.abort()
  late.catch(() => {})
  return pages.flatMap(({ events }) => latestOf(events))
}

const SHOWN = ['visit_ended', 'med_administered', 'vital_recorded'] as const

/** @param events newest first */
export function latestOf(events: TimelineEvent[]): TimelineEvent[] {
  return SHOWN.flatMap((kind) => events.find(({ details }) => details?.kind === kind) ?? [])
}

/** What needs an answer and what comes next, while no message is open. */
export function besidePane(list: MailList, latest: TimelineEvent[], clock: ReaderClock): Html {
  if (isFiltered(list.query) || list.query.view !== '' || list.entries.length === 0)
    return html`<div class="pane beside"><p class="hint">Select a message to read it here.</p></div>`
  const questions = openQuestions(list.entries, clock.now)
  return html`<section class="pane beside" aria-label="What needs you">
${mailPart('May need an answer', questions, list, clock, 'Nothing seems to wait for an answer.')}
${unreadPart(list)}
${mailPart('Mail about appointments', appointmentMail(list.entries, clock.now), list, clock)}
${
  latest.length > 0 &&
  html`<section><h2>Latest from care</h2><ul>${latest.map((event) => latestRow(event, list, clock))}</ul>
<p><a href="/timeline${list.query.lovedOne && `/${list.query.lovedOne.id}`}">Open timeline</a></p></section>`
}
<p class="hint">Select a message to read it here.</p>
</section>`
}

function mailPart(
  title: string,
  entries: InboxEntry[],
  list: MailList,
  clock: ReaderClock,
  otherwise?: string,
): Html | undefined {
  if (entries.length === 0)
    return otherwise === undefined
      ? undefined
      : html`<section><h2>${title}</h2><p class="hint">${otherwise}</p></section>`
  return html`<section><h2>${title}</h2><ul>${entries.slice(0, MAX_ROWS).map(
    ({ message, lovedOneId }) =>
      message &&
      html`<li><a href="${messageHref(list.query, lovedOneId, message.id)}"><bdi>${message.subject || 'No subject'}</bdi></a>
<p class="hint"><bdi>${senderName(message.sender)}</bdi>, ${message.receivedAt && whenOf(message.receivedAt, clock)}</p></li>`,
  )}</ul>
${entries.length > MAX_ROWS && html`<p class="hint">and ${entries.length - MAX_ROWS} more</p>`}</section>`
}

function unreadPart({ unread, query }: MailList): Html {
  if (unread === 0) return html`<section><h2>Unread</h2><p class="hint">Everything is read.</p></section>`
  const count = unread >= 100 ? 'More than 99' : `${unread}`
  return html`<section><h2>Unread</h2><p><a href="${listHref(query, { unread: true })}">${count} unread ${unread === 1 ? 'message' : 'messages'}</a></p></section>`
}

function latestRow(event: TimelineEvent, { workspace, query }: MailList, clock: ReaderClock): Html {
  const several = query.lovedOne === undefined && workspace.lovedOnes.length > 1
  return html`<li>${several && html`<bdi>${event.lovedOne.name}</bdi>: `}${sentenceOf(event)} <span class="hint">${whenOf(event.occurredAt, clock)}</span></li>`
}
