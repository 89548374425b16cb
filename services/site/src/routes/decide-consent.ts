import { StatusError } from '@family-inbox/service-kit/status-error'
import { consentEnded, consentReply } from '../consent-reply.ts'
import type { Context } from '../context.ts'
import { asSite, type SignedInHandler } from '../session.ts'

/** Passes the person's decision on. Auth holds the scopes against those asked for, and the household against membership. */
export function decideConsent(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const interactionId = visit.param('uid')
    const decision = {
      interactionId,
      cookie: visit.cookieHeader,
      session: visit.cookies.session,
      // Only the word itself allows: a form that came without a button, or with another, does not.
      allow: visit.field('decision') === 'allow',
      scopes: visit.fields('scope').slice(0, 20),
      workspaceId: visit.field('workspace'),
    }
    try {
      const { redirectUrl } = await ctx.auth.decideConsent(decision, asSite(visit))
      return { redirectTo: redirectUrl }
    } catch (error) {
      if (error instanceof StatusError && error.detail.field === 'scopes')
        return consentReply(ctx, visit, session, { scope: error.message })
      return consentEnded(error, interactionId, session)
    }
  }
}
