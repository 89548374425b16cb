import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { CONFIRMATION_SECONDS, type Confirmation, readConfirmation, writeConfirmation } from '../shell/confirmation.ts'
import type { Cookie } from '../shell/cookies.ts'
import type { FieldErrors } from '../shell/field.ts'
import { asPerson, asSite, type Session, type SignedInHandler, toViewer } from '../shell/session.ts'
import type { RedirectReply, Reply, Visit } from '../shell/visit.ts'
import { confirmCodePage, confirmPage } from './confirm-page.ts'

/** Asks the person to confirm their identity with a passkey or a code. */
export function showConfirm(ctx: Context): SignedInHandler {
  return (visit, session) => confirmReply(ctx, visit, session)
}

/** Shows the code form after a code was mailed. */
export function showConfirmCode(): SignedInHandler {
  return async (visit, session) => {
    const { challenge, returnTo } = confirmationOf(visit)
    if (challenge === '') return { redirectTo: '/confirm' }
    return { page: confirmCodePage({ viewer: toViewer(session), returnTo, errors: {} }) }
  }
}

/** Mails a code that confirms this session. */
export function mailConfirmationCode(ctx: Context): SignedInHandler {
  return async (visit) => {
    const { challenge } = await ctx.auth.mailConfirmationCode({ session: visit.cookies.session }, asSite(visit))
    return { redirectTo: '/confirm/code', cookies: [confirmationCookie({ ...confirmationOf(visit), challenge })] }
  }
}

/** Confirms with the mailed code and returns to the original page. */
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
export async function confirmReply(ctx: Context, visit: Visit, session: Session, error?: string): Promise<Reply> {
  const { passkeys } = await ctx.auth.listPasskeys({}, asPerson(session, visit))
  const { returnTo } = confirmationOf(visit)
  const errors: FieldErrors = error === undefined ? {} : { passkey: error }
  const page = confirmPage({ viewer: toViewer(session), returnTo, hasPasskeys: passkeys.length > 0, errors })
  return { page, status: error === undefined ? 200 : 422 }
}

function confirmationOf({ cookies }: Visit): Confirmation {
  return readConfirmation(cookies.confirm) ?? { returnTo: '/', fields: {}, challenge: '' }
}

function confirmationCookie(confirmation: Confirmation): Cookie {
  return { name: 'confirm', value: writeConfirmation(confirmation), maxAgeSec: CONFIRMATION_SECONDS }
}

/** Returns to the original page with its form restored. */
export function confirmed(visit: Visit): RedirectReply {
  const confirmation = confirmationOf(visit)
  return {
    redirectTo: confirmation.returnTo,
    flash: 'confirmed',
    cookies: [confirmationCookie({ ...confirmation, challenge: '' })],
  }
}
