import type { Household } from '../../household.ts'
import { html } from '../../html.ts'
import { type Page, roomPage } from '../../layout/page.ts'
import { errorSummary } from '../../parts/error-summary.ts'
import { type FieldErrors, textField } from '../../parts/field.ts'

export type AddLovedOneData = {
  household: Household
  values: { name: string }
  /** The same for the same form sent twice, so that it adds one. */
  idempotencyKey: string
  errors: FieldErrors
}

/** Asks who else is cared for. */
export function addLovedOnePage({ household, values, idempotencyKey, errors }: AddLovedOneData): Page {
  return roomPage(
    { place: 'care-circle', household },
    {
      title: 'Add somebody you care for',
      hasErrors: Object.keys(errors).length > 0,
      main: html`<p class="up"><a href="/care-circle">Care circle</a></p>
${errorSummary(errors)}
<h1>Add somebody you care for</h1>
<p>They get a private address of their own. Everybody in your care circle sees the mail that comes to it.</p>
<form method="post" action="/care-circle/loved-ones/new" novalidate>
<input type="hidden" name="idempotency_key" value="${idempotencyKey}">
${textField({
  name: 'name',
  label: 'Who are you caring for?',
  hint: 'The name your family uses, for example “Dad” or “Rosa Martin”.',
  maxlength: 120,
  value: values.name,
  error: errors.name,
})}
<button>Add them</button>
</form>`,
    },
  )
}
