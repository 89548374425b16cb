import { html } from '../html.ts'
import type { Page } from '../layout/page.ts'
import { errorSummary } from '../parts/error-summary.ts'
import { type FieldErrors, textField } from '../parts/field.ts'

export type SignInCodeData = { email: string; errors: FieldErrors; resent?: boolean }

/** Asks for the code that was mailed. */
export function signInCodePage({ email, errors, resent }: SignInCodeData): Page {
  return {
    title: 'Enter your code',
    leadsElsewhere: true,
    hasErrors: 'code' in errors,
    main: html`${errorSummary(errors)}
${resent && html`<p class="notice" role="status">We sent a new code. The previous one no longer works.</p>`}
<h1>Check your email</h1>
<p>We sent a code to <strong class="address"><bdi>${email}</bdi></strong>. It works for 10 minutes, in this browser only.</p>
<form method="post" action="/sign-in/code" novalidate>
${textField({
  name: 'code',
  label: 'The code from the mail',
  inputmode: 'numeric',
  autocomplete: 'one-time-code',
  maxlength: 20,
  look: 'code',
  error: errors.code,
  autofocus: true,
})}
<button>Sign in</button>
</form>
<section class="aside" aria-labelledby="no-code">
<h2 id="no-code">Not there?</h2>
<p>It can take a minute. Check your spam folder, too.</p>
<form class="row" method="post" action="/sign-in/resend"><button class="second">Send a new code</button> <a href="/sign-in">Use another address</a></form>
</section>`,
  }
}
