import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/status-error'
import type { Context } from './context.ts'
import type { Reply } from './http/reply.ts'
import type { Visit } from './http/visit.ts'
import { homePage } from './pages/home.ts'
import type { FieldErrors } from './parts/field.ts'
import { roleWords } from './parts/role.ts'
import { asPerson, type Session, toViewer } from './session.ts'

export type HomeForm = { values: { name: string }; errors: FieldErrors }

/** Draws the first page as it is now; also after a form on it was refused, with what was typed and what is wrong. */
export async function homeReply(ctx: Context, visit: Visit, session: Session, form?: HomeForm): Promise<Reply> {
  if (session.workspaceId === '') return { redirectTo: '/households' }
  const { profile, workspaces, lovedOnes } = await readHousehold(ctx, visit, session)
  if (profile === undefined) return { redirectTo: '/households' }
  const page = homePage({
    viewer: { ...toViewer(session), hasOtherHouseholds: workspaces.length > 1 },
    household: { name: profile.workspaceName, role: roleWords(profile.role).name, may: roleWords(profile.role).may },
    lovedOnes,
    canWrite: profile.role !== Role.VIEWER,
    connectUrl: `${ctx.config.urls.base}/getting-started`,
    ...(form ?? { values: { name: '' }, errors: {} }),
  })
  return { page, status: form ? 422 : 200 }
}

async function readHousehold(ctx: Context, visit: Visit, session: Session) {
  const person = asPerson(session, visit)
  try {
    const [profile, { workspaces }, { lovedOnes }, { addresses }] = await Promise.all([
      ctx.careCircle.getProfile({}, person),
      ctx.careCircle.listWorkspaces({}, person),
      ctx.careCircle.listLovedOnes({}, person),
      ctx.inbox.listInboxAddresses({}, person),
    ])
    const addressOf = new Map(addresses.map(({ lovedOneId, address }) => [lovedOneId, address]))
    return { profile, workspaces, lovedOnes: lovedOnes.map((one) => ({ ...one, address: addressOf.get(one.id) })) }
  } catch (error) {
    // Who was removed from the household meanwhile is shown the way to another.
    if (error instanceof StatusError && error.status === 'PERMISSION_DENIED')
      return { profile: undefined, workspaces: [], lovedOnes: [] }
    throw error
  }
}
