import { StatusError } from '@family-inbox/service-kit/status-error'
import type { Context } from '../context.ts'
import { toFieldErrors } from '../form-errors.ts'
import { invitationReply } from '../invitation-reply.ts'
import { asPerson, asSite, type SignedInHandler } from '../session.ts'

/** Joins the household and goes there. What no longer can be accepted is shown as it is now. */
export function acceptInvitation(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const name = visit.field('name').slice(0, 1000)
    const token = visit.param('token').slice(0, 256)
    try {
      const { workspaceId } = await ctx.careCircle.acceptInvitation({ token, name }, asPerson(session, visit))
      await ctx.auth.selectWorkspace({ session: visit.cookies.session, workspaceId }, asSite(visit))
      return { redirectTo: '/' }
    } catch (error) {
      if (error instanceof StatusError && error.status === 'ALREADY_EXISTS') return { redirectTo: '/households' }
      if (error instanceof StatusError && error.status === 'NOT_FOUND') return invitationReply(ctx, visit, session)
      return invitationReply(ctx, visit, session, { name, errors: toFieldErrors(error, WORDS) })
    }
  }
}

const WORDS = { name: 'Type your name, up to 120 characters' }
