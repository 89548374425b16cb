import type { GetInvitationResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { type FieldErrors, toFieldErrors } from '../shell/fields.ts'
import { messagePage } from '../shell/page.ts'
import { roleWords } from '../shell/permissions.ts'
import { withReturnTo } from '../shell/return-to.ts'
import { asPerson, asSite, findSession, type Session, type SignedInHandler, toViewer } from '../shell/session.ts'
import type { Reply, Visit, VisitHandler } from '../shell/visit.ts'
import { type InvitationReader, invitationPage } from './accept-invitation-page.ts'

const FIELD_ERRORS = { name: 'Enter your name, up to 120 characters' }

export function showInvitation(ctx: Context): VisitHandler {
  return async (visit) => invitationReply(ctx, visit, await findSession(ctx, visit))
}

export function acceptInvitation(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const name = visit.field('name').slice(0, 1000)
    const token = visit.param('token').slice(0, 256)
    try {
      const { workspaceId } = await ctx.careCircle.acceptInvitation({ token, name }, asPerson(session, visit))
      await ctx.auth.selectWorkspace({ session: visit.cookies.session, workspaceId }, asSite(visit))
      return { redirectTo: '/settings/notifications/first', flash: 'joined' }
    } catch (error) {
      if (error instanceof StatusError && error.status === 'ALREADY_EXISTS') return { redirectTo: '/families' }
      if (error instanceof StatusError && error.status === 'NOT_FOUND') return invitationReply(ctx, visit, session)
      return invitationReply(ctx, visit, session, { name, errors: toFieldErrors(error, FIELD_ERRORS) })
    }
  }
}

type InvitationForm = { name: string; errors: FieldErrors }

async function invitationReply(
  ctx: Context,
  visit: Visit,
  session: Session | undefined,
  form?: InvitationForm,
): Promise<Reply> {
  const token = visit.param('token')
  const invitation = await findInvitation(ctx, visit, session)
  if (invitation === undefined) return invitationEnded(session)
  if (await isRefused(ctx, visit, session)) return notTakingPeople(token, session)
  const reader = toReader(invitation, session, form)
  const page = invitationPage({
    token,
    clock: visit.clock,
    workspace: invitation.workspaceName,
    invitedBy: invitation.invitedByName,
    email: invitation.email,
    role: roleWords(invitation.role),
    expiresAt: invitation.expiresAt,
    reader,
  })
  return { page, status: form ? 422 : 200 }
}

/** Uses the reader's session, if any: the service reveals names only to the invited address. */
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
  { email }: GetInvitationResponse,
  session: Session | undefined,
  form: InvitationForm | undefined,
): InvitationReader {
  if (session === undefined) return { state: 'stranger' }
  if (session.email !== email) return { state: 'wrongEmail', viewer: toViewer(session) }
  return { state: 'invited', viewer: toViewer(session), ...(form ?? { name: session.name, errors: {} }) }
}

/** While sign-up is closed, an invitation is for people who are in a family here. care-circle refuses all others. */
async function isRefused(ctx: Context, visit: Visit, session: Session | undefined): Promise<boolean> {
  if ((await ctx.readSwitches()).signUp !== 'closed') return false
  if (session === undefined) return true
  const { workspaces } = await ctx.careCircle.listWorkspaces({}, asPerson(session, visit))
  return workspaces.length === 0
}

function notTakingPeople(token: string, session: Session | undefined): Reply {
  const page = messagePage({
    title: 'You can’t join at the moment',
    lines: [
      'This installation isn’t taking new people now. Your invitation works again when it does, unless it expires first.',
      ...(session ? [] : ['If you are in a family here already, sign in to join this one as well.']),
    ],
    next: session
      ? { label: 'Go to the home page', href: '/' }
      : { label: 'Sign in', href: withReturnTo('/sign-in', `/invitation/${token}`) },
    viewer: session && toViewer(session),
  })
  return { page, status: 403 }
}

function invitationEnded(session: Session | undefined): Reply {
  const page = messagePage({
    title: 'This invitation is no longer valid',
    lines: [
      'It was already accepted, canceled, or has expired.',
      'If you accepted it, sign in to open the inbox. Otherwise, ask the person who invited you for a new one.',
    ],
    next: session ? { label: 'Go to inbox', href: '/' } : { label: 'Sign in', href: '/sign-in' },
    viewer: session && toViewer(session),
  })
  return { page, status: 404 }
}
