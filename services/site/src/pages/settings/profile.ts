import type { Household } from '../../household.ts'
import { html } from '../../html.ts'
import type { Page } from '../../layout/page.ts'
import { errorSummary } from '../../parts/error-summary.ts'
import { type FieldErrors, textField } from '../../parts/field.ts'
import { settingsPage } from './settings-page.ts'

export type ProfileData = { household: Household; values: { name: string }; errors: FieldErrors }

/** The reader's own name, which they can change, and the address they sign in with. */
export function profilePage({ household, values, errors }: ProfileData): Page {
  return settingsPage({
    household,
    title: 'Your name',
    hasErrors: Object.keys(errors).length > 0,
    main: html`${errorSummary(errors)}
<h1>Your name</h1>
<form method="post" action="/settings/profile" novalidate>
${textField({
  name: 'name',
  label: 'What are you called?',
  hint: 'Your family sees it in every household you belong to, and so do people you reply to.',
  autocomplete: 'name',
  maxlength: 120,
  value: values.name,
  error: errors.name,
})}
<button>Save</button>
</form>
<section class="aside" aria-labelledby="address">
<h2 id="address">Your email address</h2>
<p><bdi>${household.session.email}</bdi></p>
<p>You sign in with it, so it cannot be changed here. To use another one, have yourself invited at that address, and leave with this one.</p>
</section>`,
  })
}
