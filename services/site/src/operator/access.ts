import type { GetOperatorResponse } from '@family-inbox/proto/auth/v1/auth'
import type { Context } from '../context.ts'
import { CONFIRMATION_SECONDS, writeConfirmation } from '../shell/confirmation.ts'
import type { Gate } from '../shell/mount-routes.ts'
import { asSite, type Session, signedIn, unlessSignedOut } from '../shell/session.ts'
import type { RedirectReply, Reply, Visit, VisitHandler } from '../shell/visit.ts'

/** Whoever is not the operator, or not signed in, finds no page. */
export function isOperator(ctx: Context): Gate {
  return async (visit) => {
    const found = await unlessSignedOut(visit, (session) => ctx.auth.getOperator({ session }, asSite(visit)))
    return found?.operator ?? false
  }
}

export type OperatorHandler = (visit: Visit, session: Session, operator: GetOperatorResponse) => Promise<Reply>

/** Wraps a handler for the operator whom a passkey confirmed in the last minutes. auth asks the same of each change. */
export function confirmedOperator(ctx: Context, handler: OperatorHandler): VisitHandler {
  return signedIn(ctx, async (visit, session) => {
    const operator = await ctx.auth.getOperator({ session: visit.cookies.session }, asSite(visit))
    return operator.confirmed ? handler(visit, session, operator) : confirmFirst()
  })
}

function confirmFirst(): RedirectReply {
  const value = writeConfirmation({ returnTo: '/operator', fields: {}, challenge: '' })
  return { redirectTo: '/confirm', cookies: [{ name: 'confirm', value, maxAgeSec: CONFIRMATION_SECONDS }] }
}
