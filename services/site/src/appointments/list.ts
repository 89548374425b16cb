import type { Appointment } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { calendarDay, nameOfDay, shortCalendarDay } from '../shell/moment.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { emptyState, initialsBadge, paging, withQuery } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import { type LovedOne, requireLovedOne, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { appointmentPath, clockTimeOf, markWords, titleOf } from './appointment-words.ts'
import { listedDay, startOfToday } from './coming-days.ts'
import { months } from './month.ts'

const PAGE_SIZE = 50
const PATH = '/appointments'

export function showAppointments(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { clock } = visit
    const id = visit.query('for')
    const lovedOne = id === '' ? undefined : requireLovedOne(workspace, id)
    const today = calendarDay(clock.now, clock)
    const from = startOfToday(clock)
    const pageToken = visit.query('after')
    const request = { lovedOneId: lovedOne?.id ?? '', from, until: undefined, pageSize: PAGE_SIZE, pageToken }
    const on = asPerson(workspace.session, visit)
    const { appointments, nextPageToken } = await ctx.careCircle.listAppointments(request, on)
    const next = appointments.filter((appointment) => listedDay(appointment, clock) !== undefined)
    const page = listPage({ workspace, clock, lovedOne, today, appointments: next, pageToken, nextPageToken })
    return { page }
  }
}

type ListData = {
  workspace: Workspace
  clock: ReaderClock
  lovedOne: LovedOne | undefined
  today: string
  appointments: Appointment[]
  pageToken: string
  nextPageToken: string
}

function listPage(data: ListData): Page {
  const { workspace, lovedOne, appointments, pageToken, nextPageToken } = data
  const hrefOf = (id: string) => withQuery(PATH, { for: id })
  const title = lovedOne ? `${lovedOne.name}’s calendar` : 'Calendar'
  return sectionPage(
    { id: 'appointments', workspace, switcher: { current: lovedOne?.id ?? '', hrefOf } },
    {
      title,
      isWide: true,
      main: html`<div class="page-heading"><h1><bdi>${title}</bdi></h1>
${workspace.canWrite && workspace.lovedOnes.length > 0 && html`<a class="button" href="${withQuery(`${PATH}/new`, { for: lovedOne?.id })}">Add appointment</a>`}</div>
${appointments.length === 0 && pageToken === '' ? nothingPlanned(workspace) : agenda(data)}
${paging({
  firstHref: pageToken === '' ? undefined : hrefOf(lovedOne?.id ?? ''),
  nextHref: nextPageToken === '' ? undefined : withQuery(PATH, { for: lovedOne?.id, after: nextPageToken }),
  words: { first: 'Next', next: 'Later' },
})}
<p class="page-end"><a href="${PATH}/feeds">See it in your own calendar</a></p>`,
    },
  )
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

/** Shows a section for each day that has appointments, and the months beside them on wide screens. */
function agenda({ appointments, ...data }: ListData): Html {
  const { clock, today } = data
  const byDay = Map.groupBy(appointments, (appointment) => listedDay(appointment, clock) ?? today)
  const days = [...byDay].sort(([a], [b]) => (a < b ? -1 : 1))
  return html`<div class="agenda"><div class="by-day">${days.map(([day, ones]) => {
    const [name, date] = [nameOfDay(day, clock), shortCalendarDay(day, clock)]
    return html`<section class="day" aria-labelledby="day-${day}">
<h2 id="day-${day}">${name}${name !== date && html` <span class="hint">${date}</span>`}</h2>
<ol class="events">${ones.map((appointment) => row(appointment, data))}</ol>
</section>\n`
  })}</div>
${months({ today, busy: new Set(byDay.keys()), clock })}</div>`
}

function row(appointment: Appointment, { workspace, clock, lovedOne }: Omit<ListData, 'appointments'>): Html {
  const { start, place, going, canceled, lovedOneId } = appointment
  const about = lovedOne ? undefined : workspace.lovedOnes.find(({ id }) => id === lovedOneId)
  const title = html`<bdi>${titleOf(appointment)}</bdi>`
  const goingNames = going.flatMap((id) => workspace.nameOf.get(id) ?? [])
  return html`<li><span class="time">${start && clockTimeOf(start, clock)}</span><div>
<a class="appointment-title" href="${appointmentPath(appointment)}">${canceled ? html`<s>${title}</s>` : title}</a>${markWords(appointment)}
<p class="hint">${about && html`${initialsBadge(about.name, about.position)} <bdi>${about.name}</bdi>`}${place !== '' && html`${about && ' · '}<bdi>${place}</bdi>`}</p>
${goingNames.length > 0 && html`<p class="hint">Going: <bdi>${goingNames.join(', ')}</bdi></p>`}
</div></li>`
}
