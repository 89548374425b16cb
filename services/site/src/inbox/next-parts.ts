import type { Appointment } from '@family-inbox/proto/carecircle/v1/care_circle'
import { ConversationStatus, type InboxEntry, type MessageSummary } from '@family-inbox/proto/inbox/v1/inbox'
import { shiftDay } from '@family-inbox/service-kit/time/calendar-day'
import {
  appointmentPath,
  clockTimeOf,
  dayOfAppointment,
  markWords,
  titleOf,
} from '../appointments/appointment-words.ts'
import { listedDay } from '../appointments/coming-days.ts'
import { type Html, html } from '../shell/html.ts'
import { calendarDay, nameOfDay, shortCalendarDay, whenOf } from '../shell/moment.ts'
import { withQuery } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import type { LovedOne, Workspace } from '../shell/workspace.ts'
import { dosesTodayWords } from '../timeline/medication-today.ts'
import { sentenceOf } from '../timeline/sentence.ts'
import type { BackTo } from '../to-dos/back-to.ts'
import { nextToDos, toDosHref } from '../to-dos/next-list.ts'
import { isDueToday } from '../to-dos/to-do-words.ts'
import { listHref, type MailList, messageHref } from './mail-list.ts'
import { answerBy, openQuestions } from './open-questions.ts'
import type { Latest, UpNext } from './read-next.ts'
import { addressBeside, senderCheck, senderName } from './sender.ts'

const MAX_MAILS = 4
const MAX_APPOINTMENTS = 6

export type UpNextData = UpNext & {
  workspace: Workspace
  lovedOne: LovedOne | undefined
  /** Undefined if it could not be read. */
  mail: MailList | undefined
  clock: ReaderClock
  /** The page that these parts are on. */
  back: BackTo
}

/** Appointments, to-dos, mail that waits for someone, and the latest from care. Each part stays useful without the others. */
export function upNextParts(data: UpNextData): Html {
  return html`${appointmentsPart(data)}
${toDosPart(data)}
${data.mail === undefined ? part('Mail', notLoaded('your mail')) : mailParts(data.mail, data.clock)}
${latestPart(data)}`
}

/** Whether something is planned or has to be done today, medication is reported to the family, or an answer is asked for by tomorrow. */
export function isDue(
  { appointments = [], toDos = [], latest = [] }: UpNext,
  { entries }: MailList,
  clock: ReaderClock,
): boolean {
  const today = calendarDay(clock.now, clock)
  const isPlanned = appointments.some((one) => !one.canceled && listedDay(one, clock) === today)
  const asked = openQuestions(entries, clock).map(({ message }) => message && answerBy(message, clock))
  return (
    isPlanned ||
    toDos.some((toDo) => isDueToday(toDo, clock)) ||
    latest.some(({ doses }) => doses !== undefined) ||
    asked.some((day) => day !== undefined && day <= shiftDay(today, 1))
  )
}

function part(title: string, content: Html, link?: Html): Html {
  return html`<section><div class="part-head"><h2>${title}</h2>${link}</div>
${content}</section>\n`
}

function notLoaded(what: string): Html {
  return html`<p class="hint">We can’t load ${what} right now. Nothing is lost. Try again in a moment.</p>`
}

function appointmentsPart(data: UpNextData): Html {
  const { appointments, lovedOne } = data
  const link = html`<a href="${withQuery('/appointments', { for: lovedOne?.id })}">Open calendar</a>`
  return part('Today and the next seven days', appointmentList(appointments, data), link)
}

function appointmentList(appointments: Appointment[] | undefined, data: UpNextData): Html {
  if (appointments === undefined) return notLoaded('the calendar')
  if (appointments.length === 0)
    return html`<p class="hint">Nothing planned. Invitations that arrive by mail appear here, and appointments you add.</p>`
  const more = appointments.length - MAX_APPOINTMENTS
  return html`<ul>${appointments.slice(0, MAX_APPOINTMENTS).map((appointment) => appointmentRow(appointment, data))}</ul>${more > 0 && html`<p><a href="${withQuery('/appointments', { for: data.lovedOne?.id })}">and ${more} more</a></p>`}`
}

function appointmentRow(appointment: Appointment, { workspace, lovedOne, clock }: UpNextData): Html {
  const { lovedOneId, place, canceled } = appointment
  const about = isAboutSeveral(workspace, lovedOne) && workspace.lovedOnes.find(({ id }) => id === lovedOneId)
  const title = html`<bdi>${titleOf(appointment)}</bdi>`
  return html`<li><a href="${appointmentPath(appointment)}">${canceled ? html`<s>${title}</s>` : title}</a>${markWords(appointment)}
<p class="hint">${startWords(appointment, clock)}${about && html` · <bdi>${about.name}</bdi>`}${place !== '' && html` · <bdi>${place}</bdi>`}</p></li>`
}

/** Such as "Today, 14:05", or since when it has been going on. */
function startWords(appointment: Appointment, clock: ReaderClock): Html | undefined {
  const { start } = appointment
  const day = listedDay(appointment, clock)
  if (start === undefined || day === undefined) return undefined
  const firstDay = dayOfAppointment(start, clock)
  if (firstDay < day) return html`${nameOfDay(day, clock)}, since ${shortCalendarDay(firstDay, clock)}`
  const time = clockTimeOf(start, clock)
  return html`${nameOfDay(day, clock)}, ${time === 'All day' ? 'all day' : time}`
}

function toDosPart(data: UpNextData): Html {
  const { toDos, lovedOne } = data
  const link = html`<a href="${toDosHref(lovedOne)}">All to-dos</a>`
  return part('To do', toDos === undefined ? notLoaded('what your family has to do') : nextToDos(toDos, data), link)
}

/** Mail is listed once, even if it asks something and nobody has taken it. */
function mailParts(mail: MailList, clock: ReaderClock): Html {
  const questions = openQuestions(mail.entries, clock)
  const shown = questions.slice(0, MAX_MAILS)
  const untaken = mail.entries.filter(isUntaken)
  const others = untaken.filter((entry) => !shown.includes(entry))
  const open = mail.counts?.open ?? untaken.length
  const link = open > 0 && html`<a href="${listHref(mail.query, { view: 'open' })}">All open mail</a>`
  return html`${part('May need an answer', mailRows(questions, mail, clock, 'Mail that asks something appears here until someone replies.', answerWords(mail, clock)))}
${(others.length > 0 || untaken.length === 0) && part('Not taken yet', mailRows(others, mail, clock, 'New mail appears here until someone takes it.'), link || undefined)}`
}

function isUntaken({ message }: InboxEntry): boolean {
  return message?.state?.status === ConversationStatus.OPEN
}

/** Such as " · answer by Fri 14 May", for those who can answer. */
function answerWords({ workspace }: MailList, clock: ReaderClock) {
  return (message: MessageSummary): Html | undefined => {
    const day = workspace.canWrite ? answerBy(message, clock) : undefined
    return day === undefined ? undefined : html` · <strong>answer by ${shortCalendarDay(day, clock)}</strong>`
  }
}

function mailRows(
  entries: InboxEntry[],
  { query, nextHref }: MailList,
  clock: ReaderClock,
  otherwise: string,
  moreOf?: (message: MessageSummary) => Html | undefined,
): Html {
  if (entries.length === 0) return html`<p class="hint">${otherwise}</p>`
  // Older pages of the list may have more of them.
  const more = nextHref === undefined ? entries.length - MAX_MAILS : 0
  return html`<ul>${entries.slice(0, MAX_MAILS).map(
    ({ message, lovedOneId }) =>
      message &&
      html`<li><a href="${messageHref(query, lovedOneId, message.id)}"><bdi>${message.subject || 'No subject'}</bdi></a>
<p class="hint"><bdi>${senderName(message.sender)}</bdi> <bdi>${addressBeside(message.sender)}</bdi>, ${message.receivedAt && whenOf(message.receivedAt, clock)}${moreOf?.(message)} · ${senderCheck(message).shown}</p></li>`,
  )}</ul>${more > 0 && html`<p><a href="${listHref(query, { view: 'open' })}">and ${more} more</a></p>`}`
}

function latestPart(data: UpNextData): Html {
  const { latest, lovedOne } = data
  const link = html`<a href="/timeline${lovedOne && `/${lovedOne.id}`}">Open timeline</a>`
  if (latest === undefined) return part('Latest from care', notLoaded('the timeline'), link)
  if (latest.length > 0)
    return part('Latest from care', html`<ul>${latest.map((one) => latestRow(one, data))}</ul>`, link)
  const words = 'No visits or readings in the last seven days. Those that a care agency sends appear here.'
  return part('Latest from care', html`<p class="hint">${words}</p>`, link)
}

function latestRow({ event, doses }: Latest, { workspace, lovedOne, clock }: UpNextData): Html {
  return html`<li>${isAboutSeveral(workspace, lovedOne) && html`<bdi>${event.lovedOne.name}</bdi>: `}${doses ? html`<a href="/timeline/${event.lovedOne.id}/medication">Medication</a>: ${dosesTodayWords(doses, clock)}` : html`${sentenceOf(event)} <span class="hint">${whenOf(event.occurredAt, clock)}</span>`}</li>`
}

function isAboutSeveral({ lovedOnes }: Workspace, lovedOne: LovedOne | undefined): boolean {
  return lovedOne === undefined && lovedOnes.length > 1
}
