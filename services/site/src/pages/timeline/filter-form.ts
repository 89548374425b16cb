import { type Html, html } from '../../html.ts'
import { type Filter, PERIODS, TYPES } from '../../timeline/filter.ts'

export type FilterFormData = {
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
