import { randomText } from '@family-inbox/service-kit/ids/ids'
import { multipartMail, part, text } from '../mail-corpus/build-mail.ts'

export type InvitationWords = {
  from?: string
  organizer?: string
  to?: string
  uid: string
  method?: string
  sequence?: number
  summary?: string
  start?: string
  minutes?: number
  more?: string[]
}

/** A time as RFC 5545 writes it in UTC. */
export function basic(at: Date): string {
  return at.toISOString().replaceAll(/[-:]|\.\d{3}/g, '')
}

export function newUid(): string {
  return `${randomText(12)}@clinic.example`
}

/** A calendar file with one event. */
export function calendar(words: InvitationWords): string {
  const { uid, method = 'REQUEST', sequence = 0, summary = 'Eye doctor', minutes = 30, more = [] } = words
  const start = words.start ?? basic(inDays(3))
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Clinic//Desk//EN',
    `METHOD:${method}`,
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `DTSTAMP:${basic(new Date(Date.UTC(2026, 0, 1) + sequence * 60_000))}`,
    `SEQUENCE:${sequence}`,
    `DTSTART:${start}`,
    `DURATION:PT${minutes}M`,
    `SUMMARY:${summary}`,
    'LOCATION:Main Street 5\\, Lisbon',
    `ORGANIZER;CN=Clinic desk:mailto:${words.organizer ?? 'desk@clinic.example'}`,
    ...more,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n')
}

/** The mail that carries it, as Google and Exchange send it. */
export function invitation(words: InvitationWords): Buffer {
  const { from = 'Clinic desk <desk@clinic.example>', to, method = 'REQUEST', summary = 'Eye doctor' } = words
  const calendarType = `text/calendar; charset=utf-8; method=${method}`
  const parts = [text(`Your appointment: ${summary}`), part({ 'Content-Type': calendarType }, calendar(words))]
  const id = `<${randomText(16)}@clinic.example>`
  const fields = { From: from, ...(to && { To: to }), Subject: `Invitation: ${summary}`, 'Message-ID': id }
  return multipartMail(fields, 'alternative', parts)
}

/** At a whole hour. */
export function inDays(days: number): Date {
  return new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 + days * 86_400_000)
}
