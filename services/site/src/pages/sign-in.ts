import { html } from '../html.ts'
import type { Page } from '../layout/page.ts'
import { errorSummary } from '../parts/error-summary.ts'
import { type FieldErrors, textField } from '../parts/field.ts'

export type SignInData = { email: string; returnTo: string; errors: FieldErrors; again?: boolean }

/** Asks for the email a code goes to. */
export function signInPage({ email, returnTo, errors, again }: SignInData): Page {
  return {
    title: 'Sign in',
    leadsElsewhere: true,
    hasErrors: 'email' in errors,
    main: html`${errorSummary(errors)}
${again && html`<p class="notice">The application you are connecting asks that you sign in once more.</p>`}
<h1>Sign in</h1>
<p>Type your email address, and a code comes by mail. There is no password to remember.</p>
<form method="post" action="/sign-in" novalidate>
<input type="hidden" name="return_to" value="${returnTo}">
${textField({
  name: 'email',
  label: 'Your email address',
  type: 'email',
  inputmode: 'email',
  autocomplete: 'email',
  maxlength: 254,
  value: email,
  error: errors.email,
})}
<button>Send me a code</button>
</form>
<p class="aside">New here? Do just the same: your address is all it takes. If somebody invited you, use the address the invitation came to.</p>`,
  }
}
