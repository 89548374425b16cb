import type { CareEvent } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Household, LovedOne } from '../household.ts'
import { type Html, html } from '../html.ts'
import type { ReaderClock } from '../http/reader-clock.ts'
import { type Page, roomPage } from '../layout/page.ts'
import { emptyState } from '../parts/empty-state.ts'
import { whenOf } from '../parts/moment.ts'

export type TimelineData = {
  household: Household
  clock: ReaderClock
  /** The loved one whose timeline it is; undefined for everyone’s. */
  lovedOne: LovedOne | undefined
  timelines: { lovedOne: LovedOne; events: CareEvent[] }[]
}

/** What agencies said about the care of a loved one, or of all of them. */
export function timelinePage({ household, clock, lovedOne, timelines }: TimelineData): Page {
  const title = lovedOne ? `${lovedOne.name}’s timeline` : 'Timeline'
  const whose = { current: lovedOne?.id ?? '', hrefOf: (id: string) => (id ? `/timeline/${id}` : '/timeline') }
  const full = timelines.filter(({ events }) => events.length > 0)
  return roomPage(
    { place: 'timeline', household, whose },
    {
      title,
      main: html`<h1><bdi>${title}</bdi></h1>
${full.map((timeline) => events(timeline, clock))}
${full.length === 0 && emptyState(NOTHING)}`,
    },
  )
}

const NOTHING = {
  title: 'Nothing yet',
  text: 'Visits, notes, medication and measurements appear here once an agency is linked and shares them with your family.',
  action: { label: 'Go to the care circle', href: '/care-circle' },
}

function events({ lovedOne, events }: TimelineData['timelines'][number], clock: ReaderClock): Html {
  return html`<section aria-labelledby="${lovedOne.id}">
<h2 id="${lovedOne.id}"><bdi>${lovedOne.name}</bdi></h2>
<ul>${events.map(({ eventType, occurredAt }) => html`<li>${occurredAt && whenOf(occurredAt, clock)}: ${eventType}</li>`)}</ul>
</section>`
}
