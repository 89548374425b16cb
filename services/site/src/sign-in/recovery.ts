import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, textField } from '../shell/fields.ts'
import { html } from '../shell/html.ts'
import type { Page } from '../shell/page.ts'
import { safeReturnTo, withReturnTo } from '../shell/return-to.ts'
import { asSite } from '../shell/session.ts'
import type { VisitHandler } from '../shell/visit.ts'
import { startSession } from './start-session.ts'

export function showRecovery(): VisitHandler {
  return async (visit) => ({
    page: recoveryPage({ email: '', returnTo: safeReturnTo(visit.query('return_to')), errors: {} }),
  })
}

/** Signs in with a code of a recovery sheet. Says the same of an unknown address and of a wrong code. */
export function finishRecovery(ctx: Context): VisitHandler {
  return async (visit) => {
    const email = visit.field('email').trim().slice(0, 254)
    const returnTo = safeReturnTo(visit.field('return_to'))
    const { userAgent, clientAddress, cookies } = visit
    const request = { email, code: visit.field('code').slice(0, 64), userAgent, clientAddress, device: cookies.device }
    try {
      return await startSession(ctx, visit, await ctx.auth.finishRecoverySignIn(request, asSite(visit)), returnTo)
    } catch (error) {
      if (!(error instanceof StatusError) || error.status !== 'INVALID_ARGUMENT') throw error
      const errors: FieldErrors = error.detail.field === 'email' ? ERRORS : { code: error.message }
      return { status: 422, page: recoveryPage({ email, returnTo, errors }) }
    }
  }
}

const ERRORS = { email: 'Enter your email address, like ana@example.org' }

type RecoveryData = { email: string; returnTo: string; errors: FieldErrors }

function recoveryPage({ email, returnTo, errors }: RecoveryData): Page {
  return {
    title: 'Use a recovery code',
    allowsExternalRedirects: true,
    hasErrors: Object.keys(errors).length > 0,
    main: html`${errorSummary(errors)}
<h1>Use a recovery code</h1>
<p>Enter one of the codes you printed in Settings. Each works once.</p>
<form method="post" action="/sign-in/recovery" novalidate>
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
${textField({ name: 'code', label: 'Recovery code', maxlength: 64, look: 'code', error: errors.code })}
<div class="row"><button>Sign in</button> <a href="${withReturnTo('/sign-in', returnTo)}">Go back</a></div>
</form>`,
  }
}
