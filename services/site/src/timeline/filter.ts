import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { type Html, html } from '../shell/html.ts'

export const TYPES = {
  visits: { label: 'Visits', eventTypes: ['visit_started', 'visit_ended'] },
  notes: { label: 'Notes', eventTypes: ['note_added'] },
  medication: { label: 'Medication', eventTypes: ['med_administered'] },
  readings: { label: 'Readings', eventTypes: ['vital_recorded'] },
} as const satisfies Record<string, { label: string; eventTypes: string[] }>

type TypeName = keyof typeof TYPES

const PERIODS = {
  week: { label: 'Last 7 days', days: 7 },
  month: { label: 'Last 30 days', days: 30 },
  quarter: { label: 'Last 90 days', days: 90 },
  year: { label: 'Last year', days: 365 },
} as const satisfies Record<string, { label: string; days: number }>

type PeriodName = keyof typeof PERIODS

export type Filter = { type?: TypeName | undefined; period?: PeriodName | undefined }

export function readFilter(type: string, period: string): Filter {
  return {
    ...(isOneOf(TYPES, type) && { type }),
    ...(isOneOf(PERIODS, period) && { period }),
  }
}

/** The start of the period, at the current time of day. */
export function sinceOf({ period }: Filter, now: Date): Date | undefined {
  return period && new Date(now.getTime() - PERIODS[period].days * DAY_MS)
}

export function eventTypesOf({ type }: Filter): string[] {
  return type ? [...TYPES[type].eventTypes] : []
}

function isOneOf<T extends object>(table: T, name: string): name is Extract<keyof T, string> {
  return Object.hasOwn(table, name)
}

type FilterFormData = {
  action: string
  filter: Filter
  hasTypes: boolean
}

export function filterForm({ action, filter, hasTypes }: FilterFormData): Html {
  const isFiltered = filter.type !== undefined || filter.period !== undefined
  return html`<details class="fold choose"${isFiltered && html` open`}><summary>Filter</summary>
<form method="get" action="${action}">
${hasTypes && select('type', 'Show', 'Everything', TYPES, filter.type)}
${select('period', 'Period', 'Any time', PERIODS, filter.period)}
<button class="second">Apply filters</button>
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
