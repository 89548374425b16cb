import { html } from '../../html.ts'
import type { Page, Viewer } from '../../layout/page.ts'
import { errorSummary } from '../../parts/error-summary.ts'
import { type FieldErrors, textField } from '../../parts/field.ts'

export type DeleteAccountData = {
  viewer: Viewer
  /** Every household the reader leaves by it; none for who belongs to none. */
  households: string[]
  values: { confirm: string }
  errors: FieldErrors
}

/** Says what goes with an account and what stays, and has the address typed before it goes. */
export function deleteAccountPage({ viewer, households, values, errors }: DeleteAccountData): Page {
  const back = households.length > 0 ? '/settings/your-data' : '/'
  return {
    viewer,
    title: 'Delete your account?',
    hasErrors: Object.keys(errors).length > 0,
    main: html`${errorSummary(errors)}
<h1>Delete your account?</h1>
<p>This cannot be undone. You can begin anew with the same address, but nothing of before comes back.</p>
<h2>What goes</h2>
<ul>
${households.length > 0 && html`<li>You leave <bdi>${list.format(households)}</bdi>.</li>`}
<li>You are signed out everywhere, and all your keys and connected apps end.</li>
<li>Your name, your address and your settings, which messages you have read, and your open invitations and codes.</li>
</ul>
<h2>What stays</h2>
<ul>
${households.length > 0 && html`<li>The household and its mail, which belong to your family.</li>`}
<li>Replies you sent, with your name under them: they are part of what your family said.</li>
<li>What your assistants did is still in the owner’s list, without your name.</li>
</ul>
<form method="post" action="/settings/your-data/delete-account" novalidate>
${textField({
  name: 'confirm',
  label: 'To be sure, type your email address',
  hint: viewer.email,
  type: 'email',
  inputmode: 'email',
  maxlength: 254,
  value: values.confirm,
  error: errors.confirm,
})}
<div class="row"><button class="danger">Delete my account</button> <a href="${back}">Keep it</a></div>
</form>`,
  }
}

const list = new Intl.ListFormat('en-GB', { type: 'conjunction' })
