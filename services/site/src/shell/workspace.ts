import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { asPerson, type Session, signedIn } from './session.ts'
import type { Reply, Visit, VisitHandler } from './visit.ts'

/** The household the reader is in and what they may do there, as care-circle says at this very visit. */
export type Workspace = {
  session: Session
  id: string
  name: string
  role: Role
  /** Whether the reader may change anything: owner and coordinators may. */
  canWrite: boolean
  /** In the order they were added, which decides their colours. */
  lovedOnes: LovedOne[]
  /** Whether the reader has another household to switch to. */
  hasOthers: boolean
}

export type LovedOne = {
  id: string
  name: string
  /** Their place among the household's loved ones. */
  position: number
}

export type WorkspaceHandler = (visit: Visit, workspace: Workspace) => Promise<Reply>

/**
 * A handler for members of a household. Everybody else is sent where they become one: to sign in, or to choose or make a
 * household; so is who was removed from it meanwhile.
 */
export function inWorkspace(ctx: Context, handler: WorkspaceHandler): VisitHandler {
  return signedIn(ctx, async (visit, session) => {
    const workspace = await findWorkspace(ctx, visit, session)
    return workspace === undefined ? { redirectTo: '/households' } : handler(visit, workspace)
  })
}

/**
 * The loved one an address of ours names.
 * @throws StatusError NOT_FOUND, alike for one of another family and one that does not exist
 */
export function requireLovedOne({ lovedOnes }: Workspace, id: string): LovedOne {
  const lovedOne = lovedOnes.find((one) => one.id === id)
  if (lovedOne !== undefined) return lovedOne
  throw new StatusError('NOT_FOUND', 'Nobody in your care circle is at this address.')
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

/** Undefined for who is no member any more. */
async function readLovedOnes(ctx: Context, visit: Visit, session: Session): Promise<LovedOne[] | undefined> {
  try {
    const { lovedOnes } = await ctx.careCircle.listLovedOnes({}, asPerson(session, visit))
    return lovedOnes.map(({ id, name }, position) => ({ id, name, position }))
  } catch (error) {
    if (error instanceof StatusError && error.status === 'PERMISSION_DENIED') return undefined
    throw error
  }
}
