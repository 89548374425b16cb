import type { Household } from '../../household.ts'
import { html } from '../../html.ts'
import { type Page, roomPage } from '../../layout/page.ts'
import { errorSummary } from '../../parts/error-summary.ts'
import { type FieldErrors, textField } from '../../parts/field.ts'
import { radioField } from '../../parts/radio-field.ts'
import { textArea } from '../../parts/text-area.ts'

export type InviteData = {
  household: Household
  values: { email: string; role: string; relationship: string; message: string }
  /** The same key sends the form once, however often it is sent. */
  idempotencyKey: string
  errors: FieldErrors
}

const RELATIONSHIPS = ['daughter', 'son', 'wife', 'husband', 'partner', 'sister', 'brother', 'grandchild', 'friend']

/** Asks whom to invite, and what they may do. */
export function invitePage({ household, values, idempotencyKey, errors }: InviteData): Page {
  return roomPage(
    { place: 'care-circle', household },
    {
      title: 'Invite somebody',
      hasErrors: Object.keys(errors).length > 0,
      main: html`<p class="up"><a href="/care-circle">Care circle</a></p>
${errorSummary(errors)}
<h1>Invite somebody</h1>
<p>They get a mail with a link. It works once, for their address only, and for 14 days.</p>
<form method="post" action="/care-circle/invite" novalidate>
<input type="hidden" name="idempotency_key" value="${idempotencyKey}">
${textField({
  name: 'email',
  label: 'Their email address',
  type: 'email',
  inputmode: 'email',
  maxlength: 254,
  value: values.email,
  error: errors.email,
})}
${radioField({
  name: 'role',
  legend: 'What may they do?',
  value: values.role,
  error: errors.role,
  options: [
    { value: 'coordinator', label: 'Read, reply and invite', hint: 'For those who help you keep things going.' },
    { value: 'viewer', label: 'Only read', hint: 'For those who want to know how things are.' },
  ],
})}
${textField({
  name: 'relationship',
  label: 'What are they to the person you care for?',
  hint: 'For example “son” or “neighbour”.',
  maxlength: 60,
  optional: true,
  suggestions: RELATIONSHIPS,
  value: values.relationship,
  error: errors.relationship,
})}
${textArea({
  name: 'message',
  label: 'A few words from you',
  hint: 'They stand in the mail, with your name.',
  rows: 3,
  maxlength: 500,
  optional: true,
  value: values.message,
  error: errors.message,
})}
<button>Send the invitation</button>
</form>`,
    },
  )
}
