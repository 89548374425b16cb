import { type Html, html } from '../shell/html.ts'
import { calendarDay, timeOf } from '../shell/moment.ts'
import { initialsBadge } from '../shell/parts.ts'
import { DAY_MS, type ReaderClock } from '../shell/reader-clock.ts'
import type { Details, TimelineEvent } from './event.ts'
import { type Filter, TYPES } from './filter.ts'
import { minutesInWords, sentenceOf } from './sentence.ts'

type Day = { day: string; events: TimelineEvent[] }

/** Groups events, newest first, by the reader's days. */
export function groupByDay(events: TimelineEvent[], clock: ReaderClock): Day[] {
  const byDay = Map.groupBy(events, ({ occurredAt }) => calendarDay(occurredAt, clock))
  return [...byDay].map(([day, ofDay]) => ({ day, events: ofDay }))
}

type DayData = {
  events: TimelineEvent[]
  clock: ReaderClock
  filter: Filter
  showsLovedOne: boolean
}

/** From this many events of a kind per day, they fold into one line. */
const MIN_FOLDED = 3

type Fold = { name: string; kind: Details['kind']; words: (count: number) => string }

const FOLDS: Fold[] = [
  { name: 'medication', kind: 'med_administered', words: (count) => `Medication given ${count} times` },
  { name: 'readings', kind: 'vital_recorded', words: (count) => `${count} readings` },
]

/** The events of one day, newest first. Medication and readings are folded if there are many. */
export function dayEvents({ events, clock, filter, showsLovedOne }: DayData): Html {
  const kindOf = ({ details }: TimelineEvent) => details?.kind
  const folds = FOLDS.map((fold) => ({
    ...fold,
    folded: events.filter((event) => kindOf(event) === fold.kind),
  })).filter(({ kind, folded }) => folded.length >= MIN_FOLDED && !isChosen(kind, filter))
  const single = events.filter((event) => !folds.some(({ folded }) => folded.includes(event)))
  const row = (event: TimelineEvent) => eventRow(event, clock, showsLovedOne)
  return html`${single.length > 0 && html`<ul class="events">${single.map(row)}</ul>`}
${folds.map(
  ({ folded, words }) => html`<details class="fold"><summary>${words(folded.length)}</summary>
<ul class="events">${folded.map(row)}</ul></details>`,
)}`
}

function isChosen(kind: Details['kind'], { type }: Filter): boolean {
  return type !== undefined && (TYPES[type].eventTypes as readonly string[]).includes(kind)
}

function eventRow(event: TimelineEvent, clock: ReaderClock, showsLovedOne: boolean): Html {
  const { occurredAt, lovedOne, source, details } = event
  const late = latenessOf(event)
  return html`<li><span class="time">${timeOf(occurredAt, clock)}</span>
<div>${showsLovedOne && initialsBadge(lovedOne.name, lovedOne.position)}<p>${sentenceOf(event)}${showsLovedOne && html`<span class="unseen"> (${lovedOne.name})</span>`}</p>
${details?.kind === 'note_added' && note(details)}
<p class="hint"><bdi>${source}</bdi>${late && html` · <span class="late">sent ${late} later</span>`}</p></div></li>`
}

function note({ text, summary }: Extract<Details, { kind: 'note_added' }>): Html | undefined {
  if (text === '') return undefined
  if (summary === '' || summary === text) return html`<blockquote>${paragraphs(text)}</blockquote>`
  return html`<blockquote>${paragraphs(summary)}</blockquote>
<details class="fold"><summary>Full note</summary><blockquote>${paragraphs(text)}</blockquote></details>`
}

function paragraphs(text: string): Html[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => html`<p><bdi>${line}</bdi></p>`)
}

/** How late an event arrived, such as "2 days"; undefined within a day, as agencies often send at night. */
export function latenessOf({ occurredAt, receivedAt }: TimelineEvent): string | undefined {
  const late = receivedAt.getTime() - occurredAt.getTime()
  return late > DAY_MS ? minutesInWords(late / 60_000) : undefined
}
