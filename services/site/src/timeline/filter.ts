import { daysAgo } from './days.ts'

/** What a reader may want to see of a timeline, by the words of the address. */
export const TYPES = {
  visits: { label: 'Visits', eventTypes: ['visit_started', 'visit_ended'] },
  notes: { label: 'Notes', eventTypes: ['note_added'] },
  medication: { label: 'Medication', eventTypes: ['med_administered'] },
  measurements: { label: 'Measurements', eventTypes: ['vital_recorded'] },
} as const satisfies Record<string, { label: string; eventTypes: string[] }>

export type TypeName = keyof typeof TYPES

/** How far back a reader may want to see. */
export const PERIODS = {
  week: { label: 'The last 7 days', days: 7 },
  month: { label: 'The last 30 days', days: 30 },
  quarter: { label: 'The last 90 days', days: 90 },
  year: { label: 'The last year', days: 365 },
} as const satisfies Record<string, { label: string; days: number }>

export type PeriodName = keyof typeof PERIODS

/** What is shown; what is left out shows everything. */
export type Filter = { type?: TypeName | undefined; period?: PeriodName | undefined }

/** Reads a filter from an address. Words that are none of ours filter nothing. */
export function readFilter(type: string, period: string): Filter {
  return {
    ...(isOneOf(TYPES, type) && { type }),
    ...(isOneOf(PERIODS, period) && { period }),
  }
}

/** The moment a period began: so many days ago, at this time of day. */
export function sinceOf({ period }: Filter, now: Date): Date | undefined {
  return period && daysAgo(PERIODS[period].days, now)
}

export function eventTypesOf({ type }: Filter): string[] {
  return type ? [...TYPES[type].eventTypes] : []
}

function isOneOf<T extends object>(table: T, name: string): name is Extract<keyof T, string> {
  return Object.hasOwn(table, name)
}
