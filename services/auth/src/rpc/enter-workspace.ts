import type { EnterWorkspaceRequest, EnterWorkspaceResponse } from '@family-inbox/proto/auth/v1/auth'
import { type EnteredWorkspace, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
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
    const workspace = described?.workspace
    const passkeyOnlyIds = await findPasskeyOnly(ctx, personId, workspace)
    return { principal, sessionId, personId, email, workspace, passkeyOnlyIds }
  }
}

/** Only where the owner asked for passkeys. The owner sees who refuses codes; others only whether they do. */
async function findPasskeyOnly(
  ctx: Context,
  personId: string,
  workspace: EnteredWorkspace | undefined,
): Promise<string[]> {
  if (!workspace?.passkeysAsked) return []
  const shown = workspace.role === Role.OWNER ? workspace.members.map((member) => member.personId) : [personId]
  const people = await ctx.people.find({ _id: { $in: shown }, passkeyOnlySince: { $ne: null } }, { _id: 1 }).lean()
  return people.map(({ _id }) => _id)
}

/** That care-circle does not know this service must not read as the end of the person's session. */
function notSignedOut(error: unknown): never {
  if (error instanceof StatusError && error.status === 'UNAUTHENTICATED')
    throw new StatusError('UNAVAILABLE', 'The workspace could not be read.')
  throw error
}
