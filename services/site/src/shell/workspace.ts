import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { asPerson, type Session, type SignedInHandler, signedIn } from './session.ts'
import type { Reply, Visit, VisitHandler } from './visit.ts'

/** The workspace the reader is in; care-circle resolves it for every request. */
export type Workspace = {
  session: Session
  id: string
  name: string
  role: Role
  /** True for owners and coordinators. */
  canWrite: boolean
  lovedOnes: LovedOne[]
  hasOthers: boolean
}

export type LovedOne = {
  id: string
  name: string
  /** Index in the order they were added; decides their color. */
  position: number
}

export type WorkspaceHandler = (visit: Visit, workspace: Workspace) => Promise<Reply>

type Otherwise = { signedOut: VisitHandler; elsewhere: VisitHandler }

/** Wraps a handler for members. Everyone else is sent to sign in, or to choose or create a workspace, or gets `otherwise`. */
export function inWorkspace(ctx: Context, handler: WorkspaceHandler, otherwise?: Otherwise): VisitHandler {
  const { elsewhere = async () => ({ redirectTo: '/families' }) } = otherwise ?? {}
  const asMember: SignedInHandler = async (visit, session) => {
    const workspace = await findWorkspace(ctx, visit, session)
    return workspace === undefined ? elsewhere(visit) : handler(visit, workspace)
  }
  return signedIn(ctx, asMember, otherwise?.signedOut)
}

/** @throws StatusError NOT_FOUND, also for a loved one of another family */
export function requireLovedOne({ lovedOnes }: Workspace, id: string): LovedOne {
  const lovedOne = lovedOnes.find((one) => one.id === id)
  if (lovedOne !== undefined) return lovedOne
  throw new StatusError('NOT_FOUND', 'This person is not in your care circle.')
}

export function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof StatusError && error.status === 'NOT_FOUND') return undefined
  throw error
}

async function findWorkspace(ctx: Context, visit: Visit, session: Session): Promise<Workspace | undefined> {
  if (session.workspaceId === '') return undefined
  const person = asPerson(session, visit)
  const [{ workspaces }, lovedOnes] = await Promise.all([
    ctx.careCircle.listWorkspaces({}, person),
    readLovedOnes(ctx, visit, session),
  ])
  const workspace = workspaces.find(({ id }) => id === session.workspaceId)
  if (workspace === undefined || lovedOnes === undefined) return undefined
  const { id, name, role } = workspace
  return { session, id, name, role, canWrite: role !== Role.VIEWER, lovedOnes, hasOthers: workspaces.length > 1 }
}

/** @returns undefined when the person is no longer a member */
async function readLovedOnes(ctx: Context, visit: Visit, session: Session): Promise<LovedOne[] | undefined> {
  try {
    const { lovedOnes } = await ctx.careCircle.listLovedOnes({}, asPerson(session, visit))
    return lovedOnes.map(({ id, name }, position) => ({ id, name, position }))
  } catch (error) {
    if (error instanceof StatusError && error.status === 'PERMISSION_DENIED') return undefined
    throw error
  }
}

/** For pages with a form; the service checks the submitted form itself. */
export function requireWriter({ canWrite }: Workspace): void {
  if (canWrite) return
  throw new StatusError('PERMISSION_DENIED', 'Viewers can read but not make changes. Ask the owner or a coordinator.')
}

export function requireOwner({ role }: Workspace): void {
  if (role === Role.OWNER) return
  throw new StatusError('PERMISSION_DENIED', 'Only the owner can do this. Ask them.')
}
