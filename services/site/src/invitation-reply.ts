import type { GetInvitationResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/status-error'
import type { Context } from './context.ts'
import type { Reply } from './http/reply.ts'
import { withReturnTo } from './http/return-to.ts'
import type { Visit } from './http/visit.ts'
import { type InvitationReader, invitationPage } from './pages/invitation.ts'
import { messagePage } from './pages/message.ts'
import type { FieldErrors } from './parts/field.ts'
import { roleWords } from './parts/role.ts'
import { asPerson, asSite, type Session, toViewer } from './session.ts'

export type InvitationForm = { name: string; errors: FieldErrors }

/** Draws the invitation as it is now for its reader; also after the form on it was refused. */
export async function invitationReply(
  ctx: Context,
  visit: Visit,
  session: Session | undefined,
  form?: InvitationForm,
): Promise<Reply> {
  const token = visit.param('token')
  const invitation = await findInvitation(ctx, visit, session)
  if (invitation === undefined) return invitationOver(session)
  const reader = toReader(token, invitation, session, form)
  const page = invitationPage({
    token,
    clock: visit.clock,
    household: invitation.workspaceName,
    invitedBy: invitation.invitedByName,
    email: invitation.email,
    role: roleWords(invitation.role),
    expiresAt: invitation.expiresAt,
    reader,
  })
  return { page, status: form ? 422 : 200 }
}

/** Asked on behalf of whoever is signed in: names are for those who have proved the invited address. */
async function findInvitation(
  ctx: Context,
  visit: Visit,
  session: Session | undefined,
): Promise<GetInvitationResponse | undefined> {
  const token = visit.param('token')
  if (!/^[\w-]{1,256}$/.test(token)) return undefined
  try {
    return await ctx.careCircle.getInvitation({ token }, session ? asPerson(session, visit) : asSite(visit))
  } catch (error) {
    if (error instanceof StatusError && error.status === 'NOT_FOUND') return undefined
    throw error
  }
}

function toReader(
  token: string,
  { email }: GetInvitationResponse,
  session: Session | undefined,
  form: InvitationForm | undefined,
): InvitationReader {
  if (session === undefined) return { state: 'stranger', signInUrl: withReturnTo('/sign-in', `/invitation/${token}`) }
  if (session.email !== email) return { state: 'wrongEmail', viewer: toViewer(session) }
  return { state: 'invited', viewer: toViewer(session), ...(form ?? { name: session.name, errors: {} }) }
}

function invitationOver(session: Session | undefined): Reply {
  const page = messagePage({
    title: 'This invitation has ended',
    lines: [
      'It was accepted, taken back, or it ran out.',
      'Nothing was lost: if you accepted it, sign in and you are there. Otherwise ask the person who invited you for a new one.',
    ],
    next: session ? { label: 'Go to the first page', href: '/' } : { label: 'Sign in', href: '/sign-in' },
    viewer: session && toViewer(session),
  })
  return { page, status: 404 }
}
