import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { DAY_MS, HOUR_MS } from '@family-inbox/service-kit/time/days'
import { fromWallTime, isTimeZone } from '@family-inbox/service-kit/time/time-zone'
import type { Reminder } from '../models/reminder.ts'

const MORNING_HOUR = 8
const MAX_DAYS = 366
/** Kiribati is the first to have a morning. */
const EARLIEST_OFFSET_MS = 14 * HOUR_MS

/** Eight in the morning of a day such as `2026-05-12`. */
export function morningOf(day: string, timeZone: string): Date {
  return fromWallTime(wallMorning(day), timeZone)
}

/** When the first morning of the day begins on earth. */
export function firstMorningOf(day: string): Date {
  return new Date(wallMorning(day) - EARLIEST_OFFSET_MS)
}

/** @throws StatusError INVALID_ARGUMENT naming the field */
export function requireReminderDay(day: string, timeZone: string, now: Date): string {
  if (!isTimeZone(timeZone))
    throw invalidArgument('timeZone', 'timeZone must be an IANA time zone, such as Europe/Lisbon.')
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(day) && toIsoDay(wallMorning(day)) === day
  if (!isDay || morningOf(day, timeZone) <= now || wallMorning(day) > now.getTime() + MAX_DAYS * DAY_MS)
    throw invalidArgument('day', 'day must be a day within a year whose morning is still to come, such as 2026-05-12.')
  return day
}

export type Answers = {
  repliedAt: Date | undefined
  isFinished: boolean
  /** The mail without automatic answers; oldest first. */
  mails: { receivedAt: Date; isProvenAnswer: boolean }[]
}

export type ReminderState = { isWanted: boolean; endedByMailAt?: Date; hasNewMail?: boolean }

/**
 * Whether somebody still needs the reminder. It ends when someone replied since it was set, when the conversation is done, or when
 * the sender provably wrote again. Other mail ends nothing, or a stranger could silence a reminder.
 */
export function reminderState(
  { onlyIfUnanswered, createdAt }: Pick<Reminder, 'onlyIfUnanswered' | 'createdAt'>,
  { repliedAt, isFinished, mails }: Answers,
): ReminderState {
  if (!onlyIfUnanswered) return { isWanted: true }
  if (isFinished || (repliedAt !== undefined && repliedAt > createdAt)) return { isWanted: false }
  const later = mails.filter(({ receivedAt }) => receivedAt > createdAt)
  const answer = later.find(({ isProvenAnswer }) => isProvenAnswer)
  if (answer !== undefined) return { isWanted: false, endedByMailAt: answer.receivedAt }
  return { isWanted: true, hasNewMail: later.length > 0 }
}

function wallMorning(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) + MORNING_HOUR * HOUR_MS
}

function toIsoDay(wall: number): string {
  return Number.isNaN(wall) ? '' : new Date(wall).toISOString().slice(0, 10)
}
