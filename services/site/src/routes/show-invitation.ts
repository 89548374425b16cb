import type { Context } from '../context.ts'
import type { VisitHandler } from '../http/visit.ts'
import { invitationReply } from '../invitation-reply.ts'
import { findSession } from '../session.ts'

/** Shows what an invitation is for, to whoever holds its link; the invited person, once signed in, can accept it there. */
export function showInvitation(ctx: Context): VisitHandler {
  return async (visit) => invitationReply(ctx, visit, await findSession(ctx, visit))
}
