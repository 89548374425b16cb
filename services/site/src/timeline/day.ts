import { amount } from '@family-inbox/service-kit/text/format-wait'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { type Html, html } from '../shell/html.ts'
import { calendarDay, timeOf } from '../shell/moment.ts'
import { initialsBadge } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import type { Workspace } from '../shell/workspace.ts'
import type { Details, TimelineEvent } from './event.ts'
import { type Filter, TYPES } from './filter.ts'
import { sentenceOf } from './sentence.ts'
import { takenLine } from './take-urgent.ts'
import { type Entry, groupVisits, isVisit, type Visit } from './visits.ts'

type Day = { day: string; entries: Entry[] }

export function groupByDay(events: TimelineEvent[], clock: ReaderClock): Day[] {
  const byDay = Map.groupBy(groupVisits(events), ({ occurredAt }) => calendarDay(occurredAt, clock))
  return [...byDay].map(([day, entries]) => ({ day, entries }))
}

type DayData = {
  entries: Entry[]
  clock: ReaderClock
  filter: Filter
  showsLovedOne: boolean
  workspace: Workspace
}

/** From this many events of a kind per day, they fold into one line. */
const MIN_FOLDED = 3

type Fold = { name: string; kind: Details['kind']; words: (count: number) => string }

const FOLDS: Fold[] = [
  { name: 'medication', kind: 'med_administered', words: (count) => `Medication given ${count} times` },
  { name: 'readings', kind: 'vital_recorded', words: (count) => `${count} readings` },
]

/** Shows a day, newest first. Medication and readings are folded if there are many. */
export function dayEvents({ entries, clock, filter, showsLovedOne, workspace }: DayData): Html {
  const rowOf = (event: TimelineEvent) => eventRow(event, clock, { showsLovedOne, showsSource: true, workspace })
  const innerRowOf = (event: TimelineEvent) =>
    eventRow(event, clock, { showsLovedOne: false, showsSource: false, workspace })
  const single = entries.filter((entry) => !isVisit(entry)) as TimelineEvent[]
  const { rows, folds } = foldMany(single, filter, rowOf)
  const visits = entries.filter(isVisit).map((visit) => ({
    at: visit.occurredAt,
    shown: visitCard({ visit, clock, showsLovedOne, during: foldMany(visit.during, filter, innerRowOf) }),
  }))
  const all = [...rows, ...visits].sort((a, b) => b.at.getTime() - a.at.getTime())
  return html`${all.length > 0 && html`<ul class="events">${all.map(({ shown }) => shown)}</ul>`}
${folds}`
}

type Folded = { rows: { at: Date; shown: Html }[]; folds: Html[] }

function foldMany(events: TimelineEvent[], filter: Filter, rowOf: (event: TimelineEvent) => Html): Folded {
  const folds = FOLDS.map((fold) => ({
    ...fold,
    folded: events.filter(({ details }) => details?.kind === fold.kind),
  })).filter(({ kind, folded }) => folded.length >= MIN_FOLDED && !isChosen(kind, filter))
  const single = events.filter((event) => !folds.some(({ folded }) => folded.includes(event)))
  return {
    rows: single.map((event) => ({ at: event.occurredAt, shown: rowOf(event) })),
    folds: folds.map(
      ({ folded, words }) => html`<details class="fold"><summary>${words(folded.length)}</summary>
<ul class="events">${folded.map(rowOf)}</ul></details>`,
    ),
  }
}

type VisitCard = { visit: Visit; clock: ReaderClock; showsLovedOne: boolean; during: Folded }

/** Arrival, what was recorded, and departure on one card. */
function visitCard({ visit, clock, showsLovedOne, during }: VisitCard): Html {
  const { ended, started, startedAt } = visit
  const { lovedOne, source } = ended
  const late = latenessOf(ended)
  return html`<li class="visit"><span class="time">${timeOf(startedAt, clock)}</span>
<div>${showsLovedOne && initialsBadge(lovedOne.name, lovedOne.position)}<p><strong>${sentenceOf(ended)}</strong>${showsLovedOne && html`<span class="unseen"> (${lovedOne.name})</span>`}</p>
<p class="hint">${started ? sentenceOf(started) : 'A caregiver came'}, left at ${timeOf(ended.occurredAt, clock)} · <bdi>${source}</bdi>${late && html` · <span class="late">sent ${late} later</span>`}</p>
${during.rows.length > 0 && html`<ul class="events">${during.rows.map(({ shown }) => shown)}</ul>`}
${during.folds}</div></li>`
}

function isChosen(kind: Details['kind'], { type }: Filter): boolean {
  return type !== undefined && (TYPES[type].eventTypes as readonly string[]).includes(kind)
}

type Shown = { showsLovedOne: boolean; showsSource: boolean; workspace: Workspace }

function eventRow(event: TimelineEvent, clock: ReaderClock, { showsLovedOne, showsSource, workspace }: Shown): Html {
  const { occurredAt, lovedOne, source, details, urgent } = event
  const late = latenessOf(event)
  return html`<li${urgent && html` class="urgent"`}><span class="time">${timeOf(occurredAt, clock)}</span>
<div>${showsLovedOne && initialsBadge(lovedOne.name, lovedOne.position)}<p>${urgent && html`<strong class="urgent-word">Urgent</strong> `}${sentenceOf(event)}${showsLovedOne && html`<span class="unseen"> (${lovedOne.name})</span>`}</p>
${urgent && takenLine(event, workspace)}
${details?.kind === 'note_added' && note(details)}
${(showsSource || late) && html`<p class="hint">${showsSource && html`<bdi>${source}</bdi>`}${showsSource && late && ' · '}${late && html`<span class="late">sent ${late} later</span>`}</p>`}</div></li>`
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
  return late > DAY_MS ? amount(Math.round(late / DAY_MS), 'day') : undefined
}
