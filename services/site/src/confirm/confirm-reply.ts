import type { Context } from '../context.ts'
import type { Cookie } from '../http/cookies.ts'
import type { RedirectReply, Reply } from '../http/reply.ts'
import type { Visit } from '../http/visit.ts'
import { confirmPage } from '../pages/confirm.ts'
import type { FieldErrors } from '../parts/field.ts'
import { asPerson, type Session, toViewer } from '../session.ts'
import { CONFIRMATION_SECONDS, type Confirmation, readConfirmation, writeConfirmation } from './confirmation-cookie.ts'

/** The question how to confirm; also after a passkey was not accepted, with the reason. */
export async function confirmReply(ctx: Context, visit: Visit, session: Session, error?: string): Promise<Reply> {
  const { passkeys } = await ctx.auth.listPasskeys({}, asPerson(session, visit))
  const { returnTo } = confirmationOf(visit)
  const errors: FieldErrors = error === undefined ? {} : { passkey: error }
  const page = confirmPage({ viewer: toViewer(session), returnTo, hasPasskeys: passkeys.length > 0, errors })
  return { page, status: error === undefined ? 200 : 422 }
}

/** What is to be confirmed; without its cookie, nothing in particular. */
export function confirmationOf({ cookies }: Visit): Confirmation {
  return readConfirmation(cookies.confirm) ?? { returnTo: '/', fields: {}, challenge: '' }
}

export function confirmationCookie(confirmation: Confirmation): Cookie {
  return { name: 'confirm', value: writeConfirmation(confirmation), maxAgeSec: CONFIRMATION_SECONDS }
}

/** Back to where the person was, with what they had typed. */
export function confirmed(visit: Visit): RedirectReply {
  const confirmation = confirmationOf(visit)
  return {
    redirectTo: confirmation.returnTo,
    notice: 'confirmed',
    cookies: [confirmationCookie({ ...confirmation, challenge: '' })],
  }
}
