import { errorSummary, type FieldErrors, textField } from '../shell/field.ts'
import { html } from '../shell/html.ts'
import type { Page, Viewer } from '../shell/page.ts'
import { passkeyForm } from '../shell/passkey-form.ts'

type ConfirmData = { viewer: Viewer; returnTo: string; hasPasskeys: boolean; errors: FieldErrors }

/** Asks a signed-in person to confirm their identity. */
export function confirmPage({ viewer, returnTo, hasPasskeys, errors }: ConfirmData): Page {
  return {
    title: 'Confirm it’s you',
    viewer,
    hasErrors: Object.keys(errors).length > 0,
    main: html`${errorSummary(errors)}
<h1>Confirm it’s you</h1>
<p>You signed in a while ago. Before a change that is hard to undo, we check that nobody else is using your device. What you typed is saved.</p>
${
  hasPasskeys &&
  html`<div id="passkey">${passkeyForm({
    action: '/confirm/passkey',
    kind: 'get',
    button: 'Use a passkey',
    fallback: 'Passkeys need JavaScript and a recent browser. You can use a code instead.',
  })}</div>`
}
<form method="post" action="/confirm/mail">
<p>We’ll send a code to <strong class="address"><bdi>${viewer.email}</bdi></strong>.</p>
<div class="row"><button>Send code</button> <a href="${returnTo}">Cancel</a></div>
</form>`,
  }
}

/** Asks for the mailed code. */
export function confirmCodePage({ viewer, returnTo, errors }: Omit<ConfirmData, 'hasPasskeys'>): Page {
  return {
    title: 'Enter your code',
    viewer,
    hasErrors: Object.keys(errors).length > 0,
    main: html`${errorSummary(errors)}
<h1>Check your email</h1>
<p>We sent a code to <strong class="address"><bdi>${viewer.email}</bdi></strong>. It works for 10 minutes, in this browser only.</p>
<form method="post" action="/confirm/code" novalidate>
${textField({
  name: 'code',
  label: 'Code',
  inputmode: 'numeric',
  autocomplete: 'one-time-code',
  maxlength: 20,
  look: 'code',
  error: errors.code,
  autofocus: true,
})}
<div class="row"><button>Confirm</button> <a href="${returnTo}">Cancel</a></div>
</form>
<form class="aside" method="post" action="/confirm/mail"><p>Not there? Check your spam folder.</p><button class="second">Send a new code</button></form>`,
  }
}
