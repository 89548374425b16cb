import type { Household } from '../../household.ts'
import { html } from '../../html.ts'
import type { Page } from '../../layout/page.ts'
import { errorSummary } from '../../parts/error-summary.ts'
import type { FieldErrors } from '../../parts/field.ts'
import { radioField } from '../../parts/radio-field.ts'
import { selectField } from '../../parts/select-field.ts'
import { settingsPage } from './settings-page.ts'

export type NotificationsData = {
  household: Household
  values: { mode: string; timeZone: string }
  errors: FieldErrors
}

/** Whether a mail comes when something new is in the inbox. */
export function notificationsPage({ household, values, errors }: NotificationsData): Page {
  return settingsPage({
    household,
    title: 'Notifications',
    hasErrors: Object.keys(errors).length > 0,
    main: html`${errorSummary(errors)}
<h1>Notifications</h1>
<p>When mail arrives in <bdi>${household.name}</bdi>, we can write to <bdi>${household.session.email}</bdi>. Such a mail says who the new mail is for and how much there is, never what it says.</p>
<form method="post" action="/settings/notifications" novalidate>
${radioField({
  name: 'mode',
  legend: 'When shall we write?',
  value: values.mode,
  error: errors.mode,
  options: [
    { value: 'none', label: 'Never' },
    { value: 'each', label: 'Soon after each message', hint: 'Several within minutes come together, in one mail.' },
    { value: 'digest', label: 'Once a day', hint: 'At eight in the morning, if there is anything new.' },
  ],
})}
${selectField({
  name: 'timeZone',
  label: 'Whose eight in the morning?',
  hint: 'The place nearest to you.',
  value: values.timeZone,
  error: errors.timeZone,
  options: TIME_ZONES,
})}
<button>Save</button>
</form>
<p class="aside">This is for you alone, and for this household alone. Every such mail has a link that ends them.</p>`,
  })
}

/** Every time zone there is, by its place: “Lisbon (Europe)”. */
const TIME_ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')]
  .map((value) => ({ value, label: placeOf(value) }))
  .sort((a, b) => a.label.localeCompare(b.label, 'en'))

function placeOf(timeZone: string): string {
  const parts = timeZone.replaceAll('_', ' ').split('/')
  const place = parts.pop() ?? ''
  return parts.length === 0 ? place : `${place} (${parts.reverse().join(', ')})`
}
