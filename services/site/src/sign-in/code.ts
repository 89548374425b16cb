import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, textField } from '../shell/fields.ts'
import { html } from '../shell/html.ts'
import type { Page } from '../shell/page.ts'
import { asSite } from '../shell/session.ts'
import type { Reply, VisitHandler } from '../shell/visit.ts'
import { sendCode } from './send-code.ts'
import { readSignIn } from './sign-in-cookie.ts'
import { startSession } from './start-session.ts'

/** Shows the code form in the browser that requested a code; others start over. */
export function showSignInCode(): VisitHandler {
  return async (visit) => {
    const signIn = readSignIn(visit.cookies.signIn)
    if (signIn === undefined) return { redirectTo: '/sign-in' }
    return { page: signInCodePage({ email: signIn.email, errors: {}, resent: visit.query('sent') === 'again' }) }
  }
}

export function finishSignIn(ctx: Context): VisitHandler {
  return async (visit) => {
    const signIn = readSignIn(visit.cookies.signIn)
    if (signIn === undefined) return { redirectTo: '/sign-in' }
    const code = visit.field('code').trim().slice(0, 64)
    if (code === '') return codePage(signIn.email, 'Enter the code from the email')
    try {
      const { userAgent, cookies } = visit
      const request = { challenge: signIn.challenge, code, userAgent, device: cookies.device }
      return await startSession(ctx, visit, await ctx.auth.finishSignIn(request, asSite(visit)), signIn.returnTo)
    } catch (error) {
      if (error instanceof StatusError) return explainFailure(error, signIn.email)
      throw error
    }
  }
}

function explainFailure(error: StatusError, email: string): Reply {
  if (error.status === 'INVALID_ARGUMENT') return codePage(email, error.message)
  if (error.status !== 'FAILED_PRECONDITION') throw error
  return { status: 422, page: expiredCodePage({ reason: error.message }) }
}

function codePage(email: string, message: string): Reply {
  return { status: 422, page: signInCodePage({ email, errors: { code: message } }) }
}

/** Mails another code; the new challenge invalidates the previous code. */
export function resendCode(ctx: Context): VisitHandler {
  return async (visit) => {
    const signIn = readSignIn(visit.cookies.signIn)
    if (signIn === undefined) return { redirectTo: '/sign-in' }
    const { email, returnTo, invitation } = signIn
    const cookie = await sendCode(ctx, visit, { email, returnTo, invitation })
    return { redirectTo: '/sign-in/code?sent=again', cookies: [cookie] }
  }
}

type SignInCodeData = { email: string; errors: FieldErrors; resent?: boolean }

function signInCodePage({ email, errors, resent }: SignInCodeData): Page {
  return {
    title: 'Enter your code',
    allowsExternalRedirects: true,
    hasErrors: 'code' in errors,
    main: html`${errorSummary(errors)}
${resent && html`<p class="notice" role="status">We sent a new code. The previous one no longer works.</p>`}
<h1>Check your email</h1>
<p>We sent a code to <strong class="address"><bdi>${email}</bdi></strong>. It works for 10 minutes, in this browser only.</p>
<form method="post" action="/sign-in/code" novalidate>
${textField({
  name: 'code',
  label: 'Sign-in code',
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
<p>It can take a minute. Check your spam folder.</p>
<form class="row" method="post" action="/sign-in/resend"><button class="second">Send a new code</button> <a href="/sign-in">Use a different email</a></form>
</section>`,
  }
}

function expiredCodePage({ reason }: { reason: string }): Page {
  return {
    title: 'This code no longer works',
    allowsExternalRedirects: true,
    main: html`<h1>This code no longer works</h1>
<p>${reason}</p>
<p class="hint">A code works once, within 10 minutes, and allows 5 tries, so nobody can guess it.</p>
<form class="row" method="post" action="/sign-in/resend"><button>Send a new code</button> <a href="/sign-in">Use a different email</a></form>`,
  }
}
