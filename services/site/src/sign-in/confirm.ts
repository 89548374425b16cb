import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { CONFIRMATION_SECONDS, type Confirmation, readConfirmation, writeConfirmation } from '../shell/confirmation.ts'
import type { Cookie } from '../shell/cookies.ts'
import { errorSummary, type FieldErrors, textField } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import type { Page, Viewer } from '../shell/page.ts'
import { passkeyForm, passkeyOptions } from '../shell/passkey-form.ts'
import { asPerson, asSite, type Session, type SignedInHandler, toViewer } from '../shell/session.ts'
import type { RedirectReply, Reply, Visit } from '../shell/visit.ts'

export function showConfirm(ctx: Context): SignedInHandler {
  return (visit, session) => confirmReply(ctx, visit, session)
}

export function showConfirmCode(): SignedInHandler {
  return async (visit, session) => {
    const { challenge, returnTo } = confirmationOf(visit)
    if (challenge === '') return { redirectTo: '/confirm' }
    return { page: confirmCodePage({ viewer: toViewer(session), returnTo, errors: {} }) }
  }
}

export function mailConfirmationCode(ctx: Context): SignedInHandler {
  return async (visit) => {
    const { challenge } = await ctx.auth.mailConfirmationCode({ session: visit.cookies.session }, asSite(visit))
    return { redirectTo: '/confirm/code', cookies: [confirmationCookie({ ...confirmationOf(visit), challenge })] }
  }
}

export function confirmWithCode(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const { challenge, returnTo } = confirmationOf(visit)
    const code = visit.field('code').trim().slice(0, 64)
    const ask = (error: string) => ({
      status: 422,
      page: confirmCodePage({ viewer: toViewer(session), returnTo, errors: { code: error } }),
    })
    if (code === '') return ask('Enter the code from the email')
    try {
      await ctx.auth.confirmSession(
        { session: visit.cookies.session, challenge, code, passkey: undefined },
        asSite(visit),
      )
      return confirmed(visit)
    } catch (error) {
      if (error instanceof StatusError && error.detail.field === 'code') return ask(error.message)
      throw error
    }
  }
}

/** Renders the choice of passkey or code, with the reason if a passkey was refused. */
async function confirmReply(ctx: Context, visit: Visit, session: Session, error?: string): Promise<Reply> {
  const { passkeys, passkeyOnlySince } = await ctx.auth.listPasskeys({}, asPerson(session, visit))
  const { returnTo } = confirmationOf(visit)
  const errors: FieldErrors = error === undefined ? {} : { passkey: error }
  const page = confirmPage({
    viewer: toViewer(session),
    returnTo,
    hasPasskeys: passkeys.length > 0,
    takesCodes: passkeyOnlySince === undefined && !isOperatorPage(returnTo),
    errors,
  })
  return { page, status: error === undefined ? 200 : 422 }
}

function confirmationOf({ cookies }: Visit): Confirmation {
  return readConfirmation(cookies.confirm) ?? { returnTo: '/', fields: {}, challenge: '' }
}

function confirmationCookie(confirmation: Confirmation): Cookie {
  return { name: 'confirm', value: writeConfirmation(confirmation), maxAgeSec: CONFIRMATION_SECONDS }
}

function confirmed(visit: Visit): RedirectReply {
  const confirmation = confirmationOf(visit)
  return {
    redirectTo: confirmation.returnTo,
    ...(!isOperatorPage(confirmation.returnTo) && { flash: 'confirmed' as const }),
    cookies: [confirmationCookie({ ...confirmation, challenge: '' })],
  }
}

export function beginPasskeyConfirmation(ctx: Context): SignedInHandler {
  return async (visit) =>
    passkeyOptions(await ctx.auth.beginPasskey({ session: visit.cookies.session, browser: '' }, asSite(visit)))
}

export function confirmWithPasskey(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const passkey = { ceremony: visit.field('ceremony'), response: visit.field('response') }
    const request = { session: visit.cookies.session, challenge: '', code: '', passkey }
    try {
      await ctx.auth.confirmSession(request, asSite(visit))
      return confirmed(visit)
    } catch (error) {
      if (error instanceof StatusError && error.detail.field === 'passkey')
        return confirmReply(ctx, visit, session, error.message)
      throw error
    }
  }
}

type ConfirmData = { viewer: Viewer; returnTo: string; hasPasskeys: boolean; takesCodes: boolean; errors: FieldErrors }

function confirmPage({ viewer, returnTo, hasPasskeys, takesCodes, errors }: ConfirmData): Page {
  return {
    title: 'Confirm it’s you',
    viewer,
    hasErrors: Object.keys(errors).length > 0,
    allowsExternalRedirects: isConsent(returnTo),
    main: html`${errorSummary(errors)}
<h1>Confirm it’s you</h1>
<p>${
      isOperatorPage(returnTo)
        ? 'The page of your server opens with a passkey only, not with a code by email.'
        : `You signed in a while ago. ${
            isConsent(returnTo)
              ? 'Before an app gets access, we check that nobody else is using your device. Then you choose what it may do.'
              : 'Before a change that is hard to undo, we check that nobody else is using your device. What you typed is saved.'
          }`
    }</p>
${
  hasPasskeys &&
  html`<div id="passkey">${passkeyForm({
    action: '/confirm/passkey',
    kind: 'get',
    button: 'Use a passkey',
    fallback: `Passkeys need JavaScript and a recent browser.${takesCodes ? ' You can use a code instead.' : ''}`,
  })}</div>`
}
${
  takesCodes
    ? html`<form method="post" action="/confirm/mail">
<p>We’ll send a code to <strong class="address"><bdi>${viewer.email}</bdi></strong>.</p>
<div class="row"><button>Send code</button>${goBack(returnTo)}</div>
</form>`
    : html`<p>${isOperatorPage(returnTo) ? withoutCodes(hasPasskeys) : 'Your account accepts passkeys only. If you lost yours, sign out and sign in with a recovery code.'}</p>
<p>${goBack(isOperatorPage(returnTo) ? '/' : returnTo)}</p>`
}
${declineForm(returnTo)}`,
  }
}

function confirmCodePage({ viewer, returnTo, errors }: Omit<ConfirmData, 'hasPasskeys' | 'takesCodes'>): Page {
  return {
    title: 'Enter your code',
    viewer,
    hasErrors: Object.keys(errors).length > 0,
    allowsExternalRedirects: isConsent(returnTo),
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
<div class="row"><button>Confirm</button>${goBack(returnTo)}</div>
</form>
<form class="aside" method="post" action="/confirm/mail"><p>Not there? Check your spam folder.</p><button class="second">Send a new code</button></form>
${declineForm(returnTo)}`,
  }
}

function withoutCodes(hasPasskeys: boolean): Html {
  return hasPasskeys
    ? html`If you lost your passkey, <a href="/settings/passkeys">add another one</a> first.`
    : html`You have no passkey yet. <a href="/settings/passkeys">Add a passkey</a> first.`
}

function isOperatorPage(returnTo: string): boolean {
  return returnTo === '/operator'
}

function isConsent(returnTo: string): boolean {
  return returnTo.startsWith('/consent/')
}

/** The page of a consent would only lead back here. */
function goBack(returnTo: string): Html | undefined {
  return isConsent(returnTo) ? undefined : html` <a href="${returnTo}">Go back</a>`
}

/** Whoever didn't start this can say no without a code. */
function declineForm(returnTo: string): Html | undefined {
  if (!isConsent(returnTo)) return undefined
  return html`<form class="aside" method="post" action="${returnTo}"><p>Didn’t start this just now?</p><button class="second" name="decision" value="deny">Don’t connect the app</button></form>`
}
