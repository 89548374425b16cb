import type { EnterWorkspaceRequest, EnterWorkspaceResponse } from '@family-inbox/proto/auth/v1/auth'
import { MemberStatus } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { asPerson, asSite } from './session.ts'
import type { Visit } from './visit.ts'

/**
 * Resolves a session and its workspace in one call. During an upgrade, auth or care-circle may be of the version before, which does
 * not know that call, so what it says is asked in parts.
 */
export async function enter(ctx: Context, visit: Visit, asked: EnterWorkspaceRequest): Promise<EnterWorkspaceResponse> {
  const entered = await ctx.auth.enterWorkspace(asked, asSite(visit)).catch(undefinedIfUnknown)
  return entered ?? enterInParts(ctx, visit, asked)
}

/** During an upgrade, a service of the version before does not know a method. */
export function undefinedIfUnknown(error: unknown): undefined {
  if (error instanceof StatusError && error.detail.unknownMethod) return undefined
  throw error
}

async function enterInParts(ctx: Context, visit: Visit, asked: EnterWorkspaceRequest): Promise<EnterWorkspaceResponse> {
  const session = await ctx.auth.resolveSession(asked, asSite(visit))
  const person = asPerson(session, visit)
  if (session.workspaceId === '') return { ...session, workspace: undefined, passkeyOnlyIds: [] }
  const { workspaces } = await ctx.careCircle.listWorkspaces({}, person)
  const own = workspaces.find(({ id }) => id === session.workspaceId)
  if (own === undefined) return { ...session, workspace: undefined, passkeyOnlyIds: [] }
  const [{ lovedOnes }, { members }] = await Promise.all([
    ctx.careCircle.listLovedOnes({}, person),
    ctx.careCircle.listMembers({}, person),
  ])
  const active = members.filter(({ status }) => status === MemberStatus.ACTIVE)
  return {
    ...session,
    passkeyOnlyIds: [],
    workspace: { ...own, hasOthers: workspaces.length > 1, lovedOnes, members: active, waitingInvitations: 0 },
  }
}
