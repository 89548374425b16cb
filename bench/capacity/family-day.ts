import type { Work } from './costs.ts'

// Assumptions about what families do. Nobody has measured them.

/** Of one family in a day: two or three members, one assistant; one family in ten has an agency, with two visits a day. */
export const PER_DAY: Readonly<Record<Work, number>> = { call: 30, page: 15, mail: 4, notification: 3, event: 0.2 }

/** Bytes of a mail's files, on average. Its text is in the measured cost. */
export const ATTACHED_BYTES = 90_000

/** How a day is spread over its hours. All families live in one time zone: the worst case. */
const SHAPES: Readonly<Record<Work, readonly number[]>> = {
  call: [1, 1, 1, 1, 1, 2, 5, 10, 9, 6, 5, 5, 6, 5, 5, 5, 5, 6, 7, 8, 7, 5, 3, 2],
  page: [1, 0, 0, 0, 0, 1, 3, 7, 9, 7, 6, 6, 7, 6, 5, 5, 6, 7, 8, 9, 9, 6, 3, 1],
  mail: [1, 1, 1, 1, 1, 2, 3, 5, 8, 10, 10, 9, 7, 8, 9, 8, 7, 5, 3, 2, 2, 2, 1, 1],
  notification: [1, 1, 1, 1, 1, 2, 3, 5, 8, 10, 10, 9, 7, 8, 9, 8, 7, 5, 3, 2, 2, 2, 1, 1],
  event: [0, 0, 0, 0, 0, 1, 4, 9, 10, 8, 6, 6, 7, 6, 5, 5, 6, 8, 9, 6, 3, 1, 0, 0],
}

/** Assistants that are started by a clock: this share of an hour's calls comes in its first minute. */
const ON_THE_HOUR = 0.2
/** This share of notifications are daily digests, all due at once. */
export const DIGESTS = 1 / 3
const DIGEST_MINUTE = 8 * 60

export const MINUTES = 24 * 60

/** Work that arrives in a minute of the day. */
export function arrivalsAt(minute: number, families: number): Record<Work, number> {
  const { call, page, mail, notification, event } = OF_ONE[minute] as Record<Work, number>
  return {
    call: call * families,
    page: page * families,
    mail: mail * families,
    notification: notification * families,
    event: event * families,
  }
}

function inMinute(work: Work, minute: number, onTheHour = 0): number {
  const shape = SHAPES[work]
  const whole = shape.reduce((sum, hour) => sum + hour, 0)
  const ofHour = (PER_DAY[work] * (shape[Math.floor(minute / 60)] ?? 0)) / whole
  const rest = (ofHour * (1 - onTheHour)) / 60
  return minute % 60 === 0 ? rest + ofHour * onTheHour : rest
}

function digestsAt(minute: number): number {
  return minute === DIGEST_MINUTE ? PER_DAY.notification * DIGESTS : 0
}

/** The most in a second: within the busiest hour, and in its busiest minute. */
export function peakPerSecond(work: Work, families: number): { ofHour: number; ofMinute: number } {
  const minutes = Array.from({ length: MINUTES }, (_, minute) => arrivalsAt(minute, families)[work])
  const hours = Array.from({ length: 24 }, (_, hour) => sum(minutes.slice(hour * 60, (hour + 1) * 60)))
  return { ofHour: Math.max(...hours) / 3600, ofMinute: Math.max(...minutes) / 60 }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** The day of one family, minute by minute. */
const OF_ONE = Array.from({ length: MINUTES }, (_, minute) => ({
  call: inMinute('call', minute, ON_THE_HOUR),
  page: inMinute('page', minute),
  mail: inMinute('mail', minute),
  notification: (1 - DIGESTS) * inMinute('notification', minute) + digestsAt(minute),
  event: inMinute('event', minute),
}))
