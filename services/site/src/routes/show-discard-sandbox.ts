import type { Context } from '../context.ts'
import { discardSandboxPage } from '../pages/discard-sandbox.ts'
import { findSandbox, sandboxOver } from '../sandbox-reply.ts'
import { type SignedInHandler, toViewer } from '../session.ts'

/** Asks whether what an assistant opened shall really be deleted. */
export function showDiscardSandbox(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const sandbox = await findSandbox(ctx, visit, session)
    if (sandbox === undefined) return sandboxOver(session)
    const { workspaceId, lovedOneName, messageCount } = sandbox
    return { page: discardSandboxPage({ viewer: toViewer(session), workspaceId, lovedOneName, messageCount }) }
  }
}
