import type { ClaimableSandbox } from '@family-inbox/proto/sandbox/v1/sandbox'
import type { Context } from './context.ts'
import type { Reply } from './http/reply.ts'
import type { Visit } from './http/visit.ts'
import { messagePage } from './pages/message.ts'
import { sandboxPage } from './pages/sandbox.ts'
import type { FieldErrors } from './parts/field.ts'
import { asPerson, type Session, toViewer } from './session.ts'

export type SandboxForm = {
  values: { yourName: string; relationship: string; familyName: string; invite: string[] }
  errors: FieldErrors
}

/** Draws what an assistant opened, as it is now; also after the form on it was refused. */
export async function sandboxReply(ctx: Context, visit: Visit, session: Session, form?: SandboxForm): Promise<Reply> {
  const sandbox = await findSandbox(ctx, visit, session)
  if (sandbox === undefined) return sandboxOver(session)
  const { workspaceId, lovedOneName, inboxAddress, careContext, inviteDrafts, messageCount, expiresAt } = sandbox
  const fresh = { yourName: session.name, relationship: '', familyName: sandbox.householdName, invite: [] }
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
