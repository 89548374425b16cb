import { html } from '../html.ts'
import type { Page, Viewer } from '../layout/page.ts'
import { errorSummary } from '../parts/error-summary.ts'
import { type FieldErrors, textField } from '../parts/field.ts'

export type WelcomeData = {
  viewer: Viewer
  returnTo: string
  values: { lovedOne: string; relationship: string; yourName: string; familyName: string }
  errors: FieldErrors
}

/** Makes a household: who is cared for, who is asking, and what the family calls it. */
export function welcomePage({ viewer, returnTo, values, errors }: WelcomeData): Page {
  return {
    title: 'Make your family’s inbox',
    viewer,
    leadsElsewhere: returnTo !== '/',
    hasErrors: Object.keys(errors).length > 0,
    main: html`${errorSummary(errors)}
<h1>Make your family’s inbox</h1>
<p>Four short answers. You can change all of them later.</p>
<p class="aside">Were you invited? Then open the link in the invitation instead: it leads to the inbox your family has already.</p>
<form method="post" action="/welcome" novalidate>
<input type="hidden" name="return_to" value="${returnTo}">
${textField({
  name: 'lovedOne',
  label: 'Who are you caring for?',
  hint: 'The name your family uses, for example “Mum” or “Rosa Martin”. Others can be added later.',
  maxlength: 120,
  value: values.lovedOne,
  error: errors.lovedOne,
})}
${textField({
  name: 'relationship',
  label: 'What are you to them?',
  hint: 'For example “daughter” or “neighbour”.',
  maxlength: 60,
  optional: true,
  value: values.relationship,
  error: errors.relationship,
})}
${textField({
  name: 'yourName',
  label: 'Your own name',
  hint: 'Your family sees it, and so do people you reply to.',
  autocomplete: 'name',
  maxlength: 120,
  value: values.yourName,
  error: errors.yourName,
})}
${textField({
  name: 'familyName',
  label: 'A name for your family’s inbox',
  hint: 'For example “The Martin family”. People you invite see it.',
  maxlength: 120,
  value: values.familyName,
  error: errors.familyName,
})}
<button>Make the inbox</button>
</form>`,
  }
}
