import { COSTS, WORKS, type Work } from './costs.ts'
import { ATTACHED_BYTES, PER_DAY } from './family-day.ts'
import type { System } from './system.ts'

const DAYS = 365
/** The record of a mail that was sent. */
const NOTIFICATIONS_KEPT_DAYS = 90

/** Bytes in MongoDB after a year, of one copy. Mail and events stay as long as the family. */
export function storedInYear(families: number, { storesFilesElsewhere }: Pick<System, 'storesFilesElsewhere'>): number {
  const ofFamily = WORKS.reduce((sum, work) => sum + PER_DAY[work] * keptDays(work) * COSTS[work].stored, 0)
  return families * (ofFamily + (storesFilesElsewhere ? 0 : filesInYear(1)))
}

/** Bytes of attached files after a year. */
export function filesInYear(families: number): number {
  return families * PER_DAY.mail * DAYS * ATTACHED_BYTES
}

function keptDays(work: Work): number {
  return work === 'notification' ? NOTIFICATIONS_KEPT_DAYS : DAYS
}
