import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { whenOf } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { Workspace } from '../shell/workspace.ts'
import { type TimelineEvent, toTimelineEvent } from './event.ts'
import { sentenceOf } from './sentence.ts'

/** Emergencies of the last day, newest first. None if they could not be read: the timeline then says so. */
export async function readUrgent(
  ctx: Context,
  visit: Visit,
  { session, lovedOnes }: Workspace,
): Promise<TimelineEvent[]> {
  const { events } = await ctx.careCircle.listUrgentEvents({}, asPerson(session, visit)).catch(() => ({ events: [] }))
  return events
    .flatMap(({ lovedOneId, event }) => {
      const lovedOne = lovedOnes.find(({ id }) => id === lovedOneId)
      return event && lovedOne ? toTimelineEvent(event, lovedOne) : []
    })
    .toSorted((a, b) => b.occurredAt.getTime() - a.occurredAt.getTime())
}

export function urgentNews(events: TimelineEvent[], clock: ReaderClock): Html | undefined {
  if (events.length === 0) return undefined
  return html`<section class="urgent-news" aria-label="Urgent">
<ul>${events.map((event) => urgentRow(event, clock))}</ul>
</section>`
}

function urgentRow(event: TimelineEvent, clock: ReaderClock): Html {
  const { lovedOne, occurredAt, source } = event
  return html`<li><strong class="urgent-word">Urgent</strong> <a href="/timeline/${lovedOne.id}"><bdi>${lovedOne.name}</bdi>: <bdi>${sentenceOf(event)}</bdi></a>
<p class="hint">${whenOf(occurredAt, clock)} · <bdi>${source}</bdi></p></li>`
}
