import type { EnterWorkspaceRequest, EnterWorkspaceResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { enforceRateLimit, FORMS_OF_PERSON } from '../admission/rate-limit.ts'
import type { Context } from '../context.ts'
import { principalOf, requireSession } from '../sign-in/active-session.ts'

/** Counts no call; a form counts against the person's form limit. */
export function enterWorkspace(ctx: Context): Handler<EnterWorkspaceRequest, EnterWorkspaceResponse> {
  return async (request, call) => {
    const holder = requireService(call, 'site')
    const session = await requireSession(ctx, request.session)
    const { _id: sessionId, personId, email, workspaceId } = session
    if (request.sendsForm) await enforceRateLimit(ctx, FORMS_OF_PERSON, personId)
    const principal = await principalOf(ctx, session, holder)
    const described =
      workspaceId === ''
        ? undefined
        : await ctx.careCircle.describeWorkspace({ principal }, { deadline: call.deadline }).catch(notSignedOut)
    return { principal, sessionId, personId, email, workspace: described?.workspace }
  }
}

/** That care-circle does not know this service must not read as the end of the person's session. */
function notSignedOut(error: unknown): never {
  if (error instanceof StatusError && error.status === 'UNAUTHENTICATED')
    throw new StatusError('UNAVAILABLE', 'The workspace could not be read.')
  throw error
}
