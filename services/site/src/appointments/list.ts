import type { Appointment } from '@family-inbox/proto/carecircle/v1/care_circle'
import { startOfDay } from '@family-inbox/service-kit/time/calendar-day'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { calendarDay, nameOfDay, shortCalendarDay } from '../shell/moment.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { emptyState, initialsBadge, paging, withQuery } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import { type LovedOne, requireLovedOne, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { appointmentPath, clockTimeOf, dayOfAppointment, markWords, titleOf } from './appointment-words.ts'
import { daysOfMonth, monthGrid, weekStrip } from './calendar-days.ts'
import { listedDay, OTHER_ZONES_MS, startOfToday } from './coming-days.ts'

const PAGE_SIZE = 50
/** Of care-circle's list; a month with more shows the first of them. */
const MOST_IN_MONTH = 200
const MOST_YEARS = 5
const PATH = '/appointments'

export function showAppointments(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { clock } = visit
    const id = visit.query('for')
    const lovedOne = id === '' ? undefined : requireLovedOne(workspace, id)
    const today = calendarDay(clock.now, clock)
    const day = readDay(visit.query('day'), today, clock)
    const pageToken = visit.query('after')
    const list = (range: { from: Date; until?: Date; pageSize: number; pageToken?: string }) =>
      ctx.careCircle.listAppointments(
        { lovedOneId: lovedOne?.id ?? '', until: undefined, pageToken: '', ...range },
        asPerson(workspace.session, visit),
      )
    const [coming, inMonth] = await Promise.all([
      day === today ? list({ from: startOfToday(clock), pageSize: PAGE_SIZE, pageToken }) : undefined,
      pageToken === ''
        ? list({ ...rangeOf(daysOfMonth(day.slice(0, 7), clock), clock), pageSize: MOST_IN_MONTH })
        : undefined,
    ])
    const inDays = Map.groupBy(inMonth?.appointments ?? [], ({ start }) => start && dayOfAppointment(start, clock))
    const byDay = new Map([...inDays].flatMap(([on, ones]) => (on === undefined ? [] : [[on, ones] as const])))
    const listed = coming ? comingByDay(coming.appointments, clock) : fromDay(byDay, day)
    const nextPageToken = coming?.nextPageToken ?? ''
    return { page: listPage({ workspace, clock, lovedOne, today, day, byDay, listed, pageToken, nextPageToken }) }
  }
}

/** Today unless a day is chosen, at most some years away. */
function readDay(chosen: string, today: string, clock: ReaderClock): string {
  if (startOfDay(chosen, clock) === undefined) return today
  return Math.abs(Number(chosen.slice(0, 4)) - Number(today.slice(0, 4))) > MOST_YEARS ? today : chosen
}

function rangeOf(days: string[], clock: ReaderClock): { from: Date; until: Date } {
  const [first, last] = [days[0], days.at(-1)].map((day) => (startOfDay(day ?? '', clock) ?? clock.now).getTime())
  return {
    from: new Date((first ?? 0) - OTHER_ZONES_MS),
    until: new Date((last ?? 0) + DAY_MS + OTHER_ZONES_MS),
  }
}

type ByDay = ReadonlyMap<string, Appointment[]>

function comingByDay(appointments: Appointment[], clock: ReaderClock): ByDay {
  const next = appointments.filter((appointment) => listedDay(appointment, clock) !== undefined)
  return Map.groupBy(next, (appointment) => listedDay(appointment, clock) ?? '')
}

/** The chosen day, even if it has nothing, and the rest of its month. */
function fromDay(byDay: ByDay, day: string): ByDay {
  const after = [...byDay].filter(([one]) => one > day && one.startsWith(day.slice(0, 7)))
  return new Map([[day, byDay.get(day) ?? []], ...after])
}

type ListData = {
  workspace: Workspace
  clock: ReaderClock
  lovedOne: LovedOne | undefined
  today: string
  /** The one that is looked at. */
  day: string
  /** Of its month. */
  byDay: ByDay
  listed: ByDay
  pageToken: string
  nextPageToken: string
}

function listPage(data: ListData): Page {
  const { workspace, lovedOne, today, day, listed, pageToken, nextPageToken } = data
  const hrefOf = (id: string) => withQuery(PATH, { for: id, day: day === today ? undefined : day })
  const title = lovedOne ? `${lovedOne.name}’s calendar` : 'Calendar'
  const addHrefOf = canAdd(workspace)
    ? (on?: string) => withQuery(`${PATH}/new`, { for: lovedOne?.id, at: on })
    : undefined
  const days = {
    ...data,
    hrefOf: (on: string) => withQuery(PATH, { for: lovedOne?.id, day: on === today ? undefined : on }),
    addHrefOf,
  }
  return sectionPage(
    { id: 'appointments', workspace, switcher: { current: lovedOne?.id ?? '', hrefOf } },
    {
      title,
      isWide: true,
      main: html`<div class="page-heading"><h1><bdi>${title}</bdi></h1>
${addHrefOf && html`<a class="button" href="${addHrefOf(day === today ? undefined : day)}">Add appointment</a>`}</div>
${pageToken === '' && [weekStrip(days), monthGrid(days)]}
${day !== today && html`<p><a href="${days.hrefOf(today)}">Back to today</a></p>`}
${listed.size === 0 && pageToken === '' ? nothingPlanned(workspace) : agenda(data)}
${paging({
  firstHref: pageToken === '' ? undefined : hrefOf(lovedOne?.id ?? ''),
  nextHref: nextPageToken === '' ? undefined : withQuery(PATH, { for: lovedOne?.id, after: nextPageToken }),
  words: { first: 'Next', next: 'Later' },
})}
<p class="page-end"><a href="${PATH}/feeds">See it in your own calendar</a></p>`,
    },
  )
}

function canAdd({ canWrite, lovedOnes }: Workspace): boolean {
  return canWrite && lovedOnes.length > 0
}

function nothingPlanned({ lovedOnes }: Workspace): Html {
  return emptyState({
    title: 'Nothing planned',
    text:
      lovedOnes.length === 0
        ? 'Appointments of the people you care for appear here.'
        : 'Invitations that arrive by mail appear here, with their changes. You can also add an appointment.',
  })
}

/** A section for each day. */
function agenda(data: ListData): Html[] {
  const { clock, listed } = data
  const days = [...listed].sort(([a], [b]) => (a < b ? -1 : 1))
  return days.map(([day, ones]) => {
    const [name, date] = [nameOfDay(day, clock), shortCalendarDay(day, clock)]
    return html`<section class="day" aria-labelledby="day-${day}">
<h2 id="day-${day}">${name}${name !== date && html` <span class="hint">${date}</span>`}</h2>
${ones.length === 0 ? html`<p class="hint">Nothing planned.</p>` : html`<ol class="events">${ones.map((appointment) => row(appointment, data))}</ol>`}
</section>\n`
  })
}

function row(appointment: Appointment, { workspace, clock, lovedOne }: ListData): Html {
  const { start, place, going, canceled, lovedOneId } = appointment
  const about = lovedOne ? undefined : workspace.lovedOnes.find(({ id }) => id === lovedOneId)
  const title = html`<bdi>${titleOf(appointment)}</bdi>`
  const goingNames = going.flatMap((id) => workspace.nameOf.get(id) ?? [])
  return html`<li><span class="time">${start && clockTimeOf(start, clock)}</span><div>
<a class="appointment-title" href="${appointmentPath(appointment)}">${canceled ? html`<s>${title}</s>` : title}</a>${markWords(appointment)}
<p class="hint">${about && html`${initialsBadge(about.name, about.position)} <bdi>${about.name}</bdi>`}${place !== '' && html`${about && ' · '}<bdi>${place}</bdi>`}</p>
${goingNames.length > 0 ? html`<p class="hint">Going: <bdi>${goingNames.join(', ')}</bdi></p>` : !canceled && html`<p class="hint">Going: nobody yet</p>`}
</div></li>`
}
