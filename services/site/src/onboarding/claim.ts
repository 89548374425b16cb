import type { ClaimableSandbox } from '@family-inbox/proto/sandbox/v1/sandbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { takeLinksApart } from '@family-inbox/workspace-kit/mail-name'
import type { Context } from '../context.ts'
import { type FieldErrors, toFieldErrors } from '../shell/fields.ts'
import { messagePage } from '../shell/page.ts'
import { asPerson, asSite, type Session, type SignedInHandler, toViewer } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import { sandboxPage } from './claim-page.ts'

export function showSandbox(ctx: Context): SignedInHandler {
  return (visit, session) => sandboxReply(ctx, visit, session)
}

export function claimSandbox(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const values = readAnswers(visit)
    const { yourName: name, ...answers } = values
    try {
      const request = { workspaceId: visit.id('id'), name, ...answers, clientAddress: visit.clientAddress }
      const { workspaceId } = await ctx.sandbox.claimSandbox(request, asPerson(session, visit))
      await ctx.auth.selectWorkspace({ session: visit.cookies.session, workspaceId }, asSite(visit))
      return { redirectTo: '/' }
    } catch (error) {
      if (error instanceof StatusError && error.status === 'NOT_FOUND') return sandboxUnavailable(session)
      return sandboxReply(ctx, visit, session, { values, errors: toFieldErrors(error, ERRORS, { name: 'yourName' }) })
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

const ERRORS = {
  yourName: 'Enter your own name, up to 120 characters',
  relationship: 'Enter up to 60 characters, or leave this empty',
  familyName: 'Enter a name for your family’s inbox, up to 120 characters',
  invite: 'One of these addresses can’t be invited. Clear any that look wrong.',
}

type SandboxForm = {
  values: { yourName: string; relationship: string; familyName: string; invite: string[] }
  errors: FieldErrors
}

async function sandboxReply(ctx: Context, visit: Visit, session: Session, form?: SandboxForm): Promise<Reply> {
  const sandbox = await findSandbox(ctx, visit, session)
  if (sandbox === undefined) return sandboxUnavailable(session)
  const { workspaceId, lovedOneName, inboxAddress, careContext, inviteDrafts, messageCount, expiresAt } = sandbox
  // Whoever set it up chose the name, and mail to the people who are invited will show it.
  const familyName = takeLinksApart(sandbox.workspaceName)
  const fresh = { yourName: session.name, relationship: '', familyName, invite: [] }
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

/** Finds the sandbox named in the address among those this person may claim. */
export async function findSandbox(ctx: Context, visit: Visit, session: Session): Promise<ClaimableSandbox | undefined> {
  const workspaceId = visit.id('id')
  const request = { workspaceId, pageToken: '' }
  const { sandboxes } = await ctx.sandbox.listClaimableSandboxes(request, asPerson(session, visit))
  return sandboxes.find((sandbox) => sandbox.workspaceId === workspaceId)
}

/** Answers alike for a sandbox that never existed, expired, was claimed, or belongs to someone else. */
export function sandboxUnavailable(session: Session): Reply {
  const page = messagePage({
    title: 'There is nothing to take over',
    lines: [
      'This inbox may have expired, been taken over already, or been set up for a different email address.',
      'Nothing was changed. If you took it over yourself, you’ll find it on the home page.',
    ],
    next: { label: 'Go to the home page', href: '/' },
    viewer: toViewer(session),
  })
  return { page, status: 404 }
}
