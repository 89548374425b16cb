import { html } from '../html.ts'
import type { Page } from '../layout/page.ts'
import { errorSummary } from '../parts/error-summary.ts'
import { type FieldErrors, textField } from '../parts/field.ts'
import { passkeyForm } from '../parts/passkey-form.ts'

export type SignInData = { email: string; returnTo: string; errors: FieldErrors; again?: boolean }

/** Asks for the email a code goes to, or for a passkey. */
export function signInPage({ email, returnTo, errors, again }: SignInData): Page {
  return {
    title: 'Sign in',
    leadsElsewhere: true,
    hasErrors: Object.keys(errors).length > 0,
    main: html`${errorSummary(errors)}
${again && html`<p class="notice">The app you are connecting asks you to sign in again.</p>`}
<h1>Sign in</h1>
<p>Enter your email and we'll send you a sign-in code. There is no password to remember.</p>
<form method="post" action="/sign-in" novalidate>
<input type="hidden" name="return_to" value="${returnTo}">
${textField({
  name: 'email',
  label: 'Your email address',
  type: 'email',
  inputmode: 'email',
  autocomplete: 'email webauthn',
  maxlength: 254,
  value: email,
  error: errors.email,
})}
<button>Send me a code</button>
</form>
<section class="aside" aria-labelledby="passkey">
<h2 id="passkey">Have a passkey?</h2>
${passkeyForm({
  action: '/sign-in/passkey',
  kind: 'get',
  button: 'Sign in with a passkey',
  fallback: 'Passkeys need JavaScript and a recent browser. You can sign in with a code instead.',
  offersInField: true,
  fields: html`<input type="hidden" name="return_to" value="${returnTo}">`,
})}
</section>
<p class="aside">New here? Do the same: your email is all you need. If somebody invited you, use the address the invitation came to.</p>`,
  }
}
