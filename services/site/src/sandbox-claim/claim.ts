import type { ClaimableSandbox } from '@family-inbox/proto/sandbox/v1/sandbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { type FieldErrors, toFieldErrors } from '../shell/field.ts'
import { messagePage } from '../shell/message-page.ts'
import { asPerson, asSite, type Session, type SignedInHandler, toViewer } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import { sandboxPage } from './claim-page.ts'

/** Shows what an assistant opened for this person, and offers to take it over. */
export function showSandbox(ctx: Context): SignedInHandler {
  return (visit, session) => sandboxReply(ctx, visit, session)
}

/** Takes over what an assistant opened, invites those who were ticked, and goes there. */
export function claimSandbox(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const values = readAnswers(visit)
    const { yourName: name, ...answers } = values
    try {
      const request = { workspaceId: visit.param('id').slice(0, 128), name, ...answers }
      const { workspaceId } = await ctx.sandbox.claimSandbox(request, asPerson(session, visit))
      await ctx.auth.selectWorkspace({ session: visit.cookies.session, workspaceId }, asSite(visit))
      return { redirectTo: '/' }
    } catch (error) {
      if (error instanceof StatusError && error.status === 'NOT_FOUND') return sandboxOver(session)
      return sandboxReply(ctx, visit, session, { values, errors: toFieldErrors(error, WORDS, { name: 'yourName' }) })
    }
  }
}

function readAnswers(visit: Visit) {
  const answer = (name: string) => visit.field(name).slice(0, 1000)
  return {
    yourName: answer('yourName'),
    relationship: answer('relationship'),
    familyName: answer('familyName'),
    invite: visit.fields('invite').slice(0, 20),
  }
}

const WORDS = {
  yourName: 'Type your own name, up to 120 characters',
  relationship: 'Say what you are to them in up to 60 characters, or leave it empty',
  familyName: 'Type a name for your family’s inbox, up to 120 characters',
  invite: 'One of these addresses cannot be invited: untick those that look odd',
}

type SandboxForm = {
  values: { yourName: string; relationship: string; familyName: string; invite: string[] }
  errors: FieldErrors
}

/** Draws what an assistant opened, as it is now; also after the form on it was refused. */
async function sandboxReply(ctx: Context, visit: Visit, session: Session, form?: SandboxForm): Promise<Reply> {
  const sandbox = await findSandbox(ctx, visit, session)
  if (sandbox === undefined) return sandboxOver(session)
  const { workspaceId, lovedOneName, inboxAddress, careContext, inviteDrafts, messageCount, expiresAt } = sandbox
  const fresh = { yourName: session.name, relationship: '', familyName: sandbox.workspaceName, invite: [] }
  const page = sandboxPage({
    viewer: toViewer(session),
    clock: visit.clock,
    workspaceId,
    lovedOneName,
    inboxAddress,
    careContext,
    drafts: inviteDrafts,
    messageCount,
    expiresAt,
    ...(form ?? { values: fresh, errors: {} }),
  })
  return { page, status: form ? 422 : 200 }
}

/** The one the address of the page names, among those this person may take. */
export async function findSandbox(ctx: Context, visit: Visit, session: Session): Promise<ClaimableSandbox | undefined> {
  const { sandboxes } = await ctx.sandbox.listClaimableSandboxes({}, asPerson(session, visit))
  return sandboxes.find(({ workspaceId }) => workspaceId === visit.param('id'))
}

/** The same whether it never was, has ended, is taken, or is somebody else’s to take. */
export function sandboxOver(session: Session): Reply {
  const page = messagePage({
    title: 'There is nothing to take over here',
    lines: [
      'It may have ended, be taken over already, or have been opened for another address.',
      'Nothing was changed. If you have taken it over yourself, you find it on the first page.',
    ],
    next: { label: 'To the first page', href: '/' },
    viewer: toViewer(session),
  })
  return { page, status: 404 }
}
