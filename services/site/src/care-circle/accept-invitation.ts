import type { GetInvitationResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, textField, toFieldErrors } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { dayOf } from '../shell/moment.ts'
import { messagePage, type Page, type Viewer } from '../shell/page.ts'
import { roleWords } from '../shell/permissions.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { withReturnTo } from '../shell/return-to.ts'
import { asPerson, asSite, findSession, type Session, type SignedInHandler, toViewer } from '../shell/session.ts'
import type { Reply, Visit, VisitHandler } from '../shell/visit.ts'

const FIELD_ERRORS = { name: 'Enter your name, up to 120 characters' }

/** Shows an invitation to anyone with its link. */
export function showInvitation(ctx: Context): VisitHandler {
  return async (visit) => invitationReply(ctx, visit, await findSession(ctx, visit))
}

/** Joins the workspace and opens it. */
export function acceptInvitation(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const name = visit.field('name').slice(0, 1000)
    const token = visit.param('token').slice(0, 256)
    try {
      const { workspaceId } = await ctx.careCircle.acceptInvitation({ token, name }, asPerson(session, visit))
      await ctx.auth.selectWorkspace({ session: visit.cookies.session, workspaceId }, asSite(visit))
      return { redirectTo: '/' }
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
  const reader = toReader(token, invitation, session, form)
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
  token: string,
  { email }: GetInvitationResponse,
  session: Session | undefined,
  form: InvitationForm | undefined,
): InvitationReader {
  if (session === undefined) return { state: 'stranger', signInUrl: withReturnTo('/sign-in', `/invitation/${token}`) }
  if (session.email !== email) return { state: 'wrongEmail', viewer: toViewer(session) }
  return { state: 'invited', viewer: toViewer(session), ...(form ?? { name: session.name, errors: {} }) }
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

/** `wrongEmail`: signed in, but not with the invited address. */
export type InvitationReader =
  | { state: 'stranger'; signInUrl: string }
  | { state: 'wrongEmail'; viewer: Viewer }
  | { state: 'invited'; viewer: Viewer; name: string; errors: FieldErrors }

type InvitationData = {
  token: string
  clock: ReaderClock
  /** `workspace` and `invitedBy` are empty until the reader proves the invited address. */
  workspace: string
  invitedBy: string
  /** Masked until the reader proves it. */
  email: string
  role: { name: string; may: string }
  expiresAt: Date | undefined
  reader: InvitationReader
}

/** The page an invitation link opens. */
export function invitationPage(data: InvitationData): Page {
  const { workspace, role, clock, expiresAt, reader } = data
  const errors = reader.state === 'invited' ? reader.errors : {}
  return {
    title: workspace === '' ? 'You’re invited' : `Invitation to ${workspace}`,
    viewer: reader.state === 'stranger' ? undefined : reader.viewer,
    hasErrors: Object.keys(errors).length > 0,
    main: html`${errorSummary(errors)}
${workspace === '' ? invitedSomewhere(role) : invitedTo(data)}
${expiresAt && html`<p class="hint">This invitation expires ${dayOf(expiresAt, clock)}.</p>`}
${nextStep(data)}`,
  }
}

function invitedTo({ workspace, invitedBy, role }: InvitationData): Html {
  return html`<h1>You’re invited to <bdi>${workspace}</bdi></h1>
<p><bdi>${invitedBy}</bdi> invited you to share this family’s inbox: its mail, care timeline, and people. You’ll join as a ${role.name}. ${role.may}</p>`
}

function invitedSomewhere(role: InvitationData['role']): Html {
  return html`<h1>You’re invited to a family’s inbox</h1>
<p>A family shares mail and a care timeline here, and invites you to join as a ${role.name}. Sign in to see who invited you.</p>`
}

function nextStep({ token, email, reader }: InvitationData): Html {
  if (reader.state === 'stranger')
    return html`<p>We sent it to <bdi>${email}</bdi>. Sign in with that address to accept.</p>
<p><a class="button" href="${reader.signInUrl}">Sign in to accept</a></p>`
  if (reader.state === 'wrongEmail')
    return html`<div class="notice"><h2>This invitation is for another address</h2>
<p>We sent it to <bdi>${email}</bdi>, but you’re signed in as <bdi>${reader.viewer.email}</bdi>. Sign in with the invited address, or ask for a new invitation.</p></div>
<form method="post" action="/sign-out"><input type="hidden" name="return_to" value="/invitation/${token}"><button>Sign in with another address</button></form>`
  return html`<form method="post" action="/invitation/${token}" novalidate>
${textField({
  name: 'name',
  label: 'Your name',
  hint: 'The name your family knows you by.',
  autocomplete: 'name',
  maxlength: 120,
  value: reader.name,
  error: reader.errors.name,
})}
<button>Accept invitation</button>
</form>
<p class="aside">Not for you? You can ignore it. We won’t tell anyone, and it will expire.</p>`
}
