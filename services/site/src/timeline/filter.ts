import { type Html, html } from '../shell/html.ts'
import { daysAgo } from './days.ts'

/** What a reader may want to see of a timeline, by the words of the address. */
export const TYPES = {
  visits: { label: 'Visits', eventTypes: ['visit_started', 'visit_ended'] },
  notes: { label: 'Notes', eventTypes: ['note_added'] },
  medication: { label: 'Medication', eventTypes: ['med_administered'] },
  measurements: { label: 'Measurements', eventTypes: ['vital_recorded'] },
} as const satisfies Record<string, { label: string; eventTypes: string[] }>

type TypeName = keyof typeof TYPES

/** How far back a reader may want to see. */
export const PERIODS = {
  week: { label: 'The last 7 days', days: 7 },
  month: { label: 'The last 30 days', days: 30 },
  quarter: { label: 'The last 90 days', days: 90 },
  year: { label: 'The last year', days: 365 },
} as const satisfies Record<string, { label: string; days: number }>

type PeriodName = keyof typeof PERIODS

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

type FilterFormData = {
  /** Where it leads; the page's own address. */
  action: string
  filter: Filter
  /** Whether the type can be chosen, too. */
  hasTypes: boolean
}

/** What to show, and how far back. */
export function filterForm({ action, filter, hasTypes }: FilterFormData): Html {
  const isFiltered = filter.type !== undefined || filter.period !== undefined
  return html`<details class="fold choose"${isFiltered && html` open`}><summary>Choose what is shown</summary>
<form method="get" action="${action}">
${hasTypes && select('type', 'Show', 'Everything', TYPES, filter.type)}
${select('period', hasTypes ? 'From' : 'Show', hasTypes ? 'Any time' : 'All there is', PERIODS, filter.period)}
<button class="second">Show</button>
</form></details>`
}

function select(
  name: string,
  label: string,
  all: string,
  options: Record<string, { label: string }>,
  chosen: string | undefined,
): Html {
  return html`<div class="field"><label for="${name}">${label}</label><select id="${name}" name="${name}">
<option value="">${all}</option>${Object.entries(options).map(
    ([value, option]) => html`<option value="${value}"${value === chosen && html` selected`}>${option.label}</option>`,
  )}
</select></div>`
}
