import type { SignUp } from '@family-inbox/workspace-kit/sign-up'
import type { Context } from '../context.ts'
import { undefinedIfUnknown } from '../shell/enter.ts'
import { errorSummary, type FieldErrors, textField, toFieldErrors } from '../shell/fields.ts'
import { html } from '../shell/html.ts'
import type { Page } from '../shell/page.ts'
import { passkeyForm } from '../shell/passkey-form.ts'
import { safeReturnTo, withReturnTo } from '../shell/return-to.ts'
import { asSite, findSession } from '../shell/session.ts'
import type { VisitHandler } from '../shell/visit.ts'
import { undefinedIfMissing } from '../shell/workspace.ts'
import { sendCode } from './send-code.ts'

/** Shows the sign-in form; skips it for a signed-in person unless they must sign in again. */
export function showSignIn(ctx: Context): VisitHandler {
  return async (visit) => {
    const returnTo = safeReturnTo(visit.query('return_to'))
    const again = visit.query('again') !== ''
    if (!again && (await findSession(ctx, visit))) return { redirectTo: returnTo }
    return { page: signInPage({ email: '', returnTo, errors: {}, again, ...(await ctx.readSwitches()) }) }
  }
}

/** Reveals nothing about whether the address is known. */
export function startSignIn(ctx: Context): VisitHandler {
  return async (visit) => {
    const email = visit.field('email').trim().slice(0, 254)
    const returnTo = safeReturnTo(visit.field('return_to'))
    try {
      return { redirectTo: '/sign-in/code', cookies: [await sendCode(ctx, visit, { email, returnTo })] }
    } catch (error) {
      const errors = toFieldErrors(error, ERRORS)
      return { status: 422, page: signInPage({ email, returnTo, errors, ...(await ctx.readSwitches()) }) }
    }
  }
}

/** "Send a code to t•••@…", from the page of an invitation: whoever reads that mailbox does not have to type its address. */
export function startInvitedSignIn(ctx: Context): VisitHandler {
  return async (visit) => {
    const token = visit.field('token').slice(0, 256)
    const returnTo = `/invitation/${encodeURIComponent(token)}`
    const invitation = await ctx.careCircle.getInvitation({ token }, asSite(visit)).catch(undefinedIfMissing)
    if (invitation === undefined) return { redirectTo: returnTo }
    const to = { email: invitation.email, returnTo, invitation: token }
    const cookie = await sendCode(ctx, visit, to).catch(undefinedIfUnknown)
    if (cookie === undefined) return { redirectTo: withReturnTo('/sign-in', returnTo) }
    return { redirectTo: '/sign-in/code', cookies: [cookie] }
  }
}

const ERRORS = { email: 'Enter your email address, like ana@example.org' }

const NEW_HERE: Record<SignUp, string> = {
  open: 'New here? Your email is all you need. If you were invited, use the address the invitation was sent to.',
  invited: 'New people join by invitation. If you were invited, use the address the invitation was sent to.',
  closed:
    'This installation isn’t taking new people at the moment. If your family is here, use the address it invited.',
}

type SignInData = { email: string; returnTo: string; errors: FieldErrors; again?: boolean; signUp: SignUp }

export function signInPage({ email, returnTo, errors, again, signUp }: SignInData): Page {
  return {
    title: 'Sign in',
    allowsExternalRedirects: true,
    hasErrors: Object.keys(errors).length > 0,
    main: html`${errorSummary(errors)}
${again && html`<p class="notice">The app you’re connecting wants you to sign in again.</p>`}
<h1>Sign in</h1>
<p>Enter your email and we’ll send you a sign-in code. There is no password to remember.</p>
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
<button>Send code</button>
</form>
<section class="aside" aria-labelledby="passkey">
<h2 id="passkey">Have a passkey?</h2>
${passkeyForm({
  action: '/sign-in/passkey',
  kind: 'get',
  button: 'Sign in with a passkey',
  fallback: 'Passkeys need JavaScript and a recent browser. You can sign in with a code instead.',
  // After a refusal, a browser that answers without asking would try again without end.
  offersInField: errors.passkey === undefined,
  fields: html`<input type="hidden" name="return_to" value="${returnTo}">`,
})}
<p>Lost it? <a href="${withReturnTo('/sign-in/recovery', returnTo)}">Use a recovery code</a></p>
</section>
<p class="aside">${NEW_HERE[signUp]}</p>`,
  }
}
