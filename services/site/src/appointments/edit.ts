import { createHash } from 'node:crypto'
import type { AppointmentTime } from '@family-inbox/proto/carecircle/v1/care_circle'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { startOfDay } from '@family-inbox/service-kit/time/calendar-day'
import { fromWallTime, toWallTime } from '@family-inbox/service-kit/time/time-zone'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, selectField, textField, toFieldErrors } from '../shell/fields.ts'
import { html } from '../shell/html.ts'
import { minutesInWords } from '../shell/moment.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import { requireLovedOne, requireWriter, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { readAppointment } from './appointment.ts'
import { appointmentPath } from './appointment-words.ts'
import { readLetter } from './read-letter.ts'

const ERRORS = {
  title: 'Enter what it is, up to 200 characters',
  place: 'Enter the place in one line, up to 300 characters',
  day: 'Choose a day',
  time: 'Enter a time, such as 10:20, or leave it empty for the whole day',
}
const LENGTHS = ['0', '15', '30', '45', '60', '90', '120', '180', '240']

type Values = { for: string; title: string; place: string; day: string; time: string; length: string }
type Hidden = { request: string; message: string; version: string }

/** Fills in a day and a time from a mail that names one, and what the mail is about and where. */
export function showAddAppointment(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    requireWriter(workspace)
    const [day = '', time = ''] = visit.query('at').slice(0, 16).split('T')
    const about = workspace.lovedOnes.find(({ id }) => id === visit.query('for')) ?? workspace.lovedOnes[0]
    const lovedOneId = about?.id ?? ''
    const messageId = visit.query('message').slice(0, 128)
    const { title, place } = await readLetter(ctx, visit, workspace, { lovedOneId, messageId })
    const values = { for: lovedOneId, title, place, day, time, length: '30' }
    const hidden = { request: newId('form'), message: messageId, version: '' }
    return { page: formPage({ workspace, clock: visit.clock, values, hidden, errors: {} }) }
  }
}

export function addAppointment(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { values, hidden } = readForm(visit)
    const about = requireLovedOne(workspace, values.for)
    const form = readValues(values, visit.clock)
    const keys = {
      lovedOneId: about.id,
      messageId: hidden.message,
      idempotencyKey: keyOf(hidden.request || newId('form'), values),
    }
    try {
      if ('errors' in form) throw form
      const added = await ctx.careCircle.addAppointment({ ...form, ...keys }, asPerson(workspace.session, visit))
      const redirectTo = appointmentPath({ id: added.appointmentId, occurrence: '' })
      return { redirectTo, flash: 'appointment-added' }
    } catch (error) {
      const errors = readErrors(error)
      return { page: formPage({ workspace, clock: visit.clock, values, hidden, errors }), status: 422 }
    }
  }
}

/** Includes what was typed: Back and another title adds another appointment. */
function keyOf(request: string, values: Values): string {
  return createHash('sha256')
    .update(JSON.stringify([request, values]))
    .digest('hex')
}

export function showChangeAppointment(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    requireWriter(workspace)
    const { id, title, place, start, end, lovedOneId, version, addedBy } = await readAppointment(ctx, visit, workspace)
    if (addedBy === '') return { redirectTo: appointmentPath({ id, occurrence: '' }) }
    const [day, time] = wallTimeOf(start, visit.clock)
    const length = start?.at && end?.at ? String((end.at.getTime() - start.at.getTime()) / 60_000) : '0'
    const values = { for: lovedOneId, title, place, day, time, length }
    const hidden = { request: '', message: '', version: String(version) }
    return { page: formPage({ workspace, clock: visit.clock, values, hidden, errors: {}, id }) }
  }
}

export function changeAppointment(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const id = visit.id('id')
    const { values, hidden } = readForm(visit)
    const form = readValues(values, visit.clock)
    const version = Number(hidden.version) || 0
    try {
      if ('errors' in form) throw form
      const request = { ...form, appointmentId: id, version }
      await ctx.careCircle.changeAppointment(request, asPerson(workspace.session, visit))
      return { redirectTo: appointmentPath({ id, occurrence: '' }), flash: 'appointment-changed' }
    } catch (error) {
      const errors = readErrors(error)
      return { page: formPage({ workspace, clock: visit.clock, values, hidden, errors, id }), status: 422 }
    }
  }
}

function readErrors(error: unknown): FieldErrors {
  if (error instanceof Error) {
    // Somebody else was faster, or there is no space: what was typed stays in the form.
    if (error instanceof StatusError && error.status === 'FAILED_PRECONDITION') return { title: error.message }
    return toFieldErrors(error, ERRORS, { start: 'day' })
  }
  return (error as { errors: FieldErrors }).errors
}

function readForm(visit: Visit): { values: Values; hidden: Hidden } {
  const field = (name: string) => visit.field(name).slice(0, 1000).trim()
  return {
    values: {
      for: field('for'),
      title: field('title'),
      place: field('place'),
      day: field('day'),
      time: field('time'),
      length: field('length'),
    },
    hidden: { request: field('request'), message: field('message'), version: field('version') },
  }
}

type Form = { title: string; place: string; start: AppointmentTime; durationMinutes: number }

function readValues({ title, place, day, time, length }: Values, clock: ReaderClock): Form | { errors: FieldErrors } {
  if (startOfDay(day, clock) === undefined) return { errors: { day: ERRORS.day } }
  const [, hour = '', minute = ''] = /^(\d{1,2})[:.](\d{2})$/.exec(time) ?? []
  if (time !== '' && (hour === '' || Number(hour) > 23 || Number(minute) > 59)) return { errors: { time: ERRORS.time } }
  const local = time === '' ? day : `${day}T${hour.padStart(2, '0')}:${minute}`
  const durationMinutes = Math.min(Math.max(Math.trunc(Number(length)) || 0, 0), 7 * 24 * 60)
  return { title, place, start: toTime(local, clock), durationMinutes }
}

/** In the reader's time zone, unless that is unknown. */
function toTime(local: string, { timeZone }: ReaderClock): AppointmentTime {
  if (!local.includes('T') || timeZone === 'UTC') return { at: undefined, local }
  return { at: fromWallTime(Date.parse(`${local}:00Z`), timeZone), local: '' }
}

type FormData = {
  workspace: Workspace
  clock: ReaderClock
  values: Values
  hidden: Hidden
  errors: FieldErrors
  id?: string
}

function formPage({ workspace, clock, values, hidden, errors, id }: FormData): Page {
  const title = id === undefined ? 'Add appointment' : 'Change appointment'
  const action = id === undefined ? '/appointments/new' : `/appointments/${encodeURIComponent(id)}/change`
  const city = clock.timeZone === 'UTC' ? '' : ` in ${clock.timeZone.split('/').at(-1)?.replaceAll('_', ' ')}`
  const lengths = LENGTHS.includes(values.length) || values.length === '' ? LENGTHS : [...LENGTHS, values.length]
  const options = lengths.map((value) => ({
    value,
    label: value === '0' ? 'Not known' : minutesInWords(Number(value)),
  }))
  const people = workspace.lovedOnes.map((lovedOne) => ({ value: lovedOne.id, label: lovedOne.name }))
  return sectionPage(
    { id: 'appointments', workspace },
    {
      title,
      hasErrors: Object.keys(errors).length > 0,
      main: html`<p class="up"><a href="/appointments">Calendar</a></p>
${errorSummary(errors)}
<h1>${title}</h1>
<form method="post" action="${action}" novalidate>
<input type="hidden" name="request" value="${hidden.request}">
<input type="hidden" name="message" value="${hidden.message}">
<input type="hidden" name="version" value="${hidden.version}">
${id === undefined && people.length > 1 ? selectField({ name: 'for', label: 'For', options: people, value: values.for }) : html`<input type="hidden" name="for" value="${values.for}">`}
${textField({ name: 'title', label: 'What', hint: 'For example, “Eye doctor”.', maxlength: 200, value: values.title, error: errors.title })}
<div class="dates">
${textField({ name: 'day', label: 'Day', type: 'date', value: values.day, error: errors.day })}
${textField({ name: 'time', label: `Time${city}`, type: 'time', value: values.time, error: errors.time, optional: true })}
${selectField({ name: 'length', label: 'How long', options, value: values.length })}
</div>
${textField({ name: 'place', label: 'Where', maxlength: 300, value: values.place, error: errors.place, optional: true })}
<button>${title}</button>
</form>`,
    },
  )
}

/** The day and the time of day, as forms have them; no time for whole days. */
function wallTimeOf(time: AppointmentTime | undefined, { timeZone }: ReaderClock): [day: string, time: string] {
  const { at, local = '' } = time ?? {}
  const shown = at === undefined ? local : new Date(toWallTime(at, timeZone)).toISOString()
  return [shown.slice(0, 10), shown.slice(11, 16)]
}
