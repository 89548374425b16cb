import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { messagePage } from '../shell/message-page.ts'
import type { Page, Viewer } from '../shell/page.ts'
import { asPerson, type SignedInHandler, toViewer } from '../shell/session.ts'
import { findSandbox, sandboxOver } from './claim.ts'

/** Asks whether what an assistant opened shall really be deleted. */
export function showDiscardSandbox(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const sandbox = await findSandbox(ctx, visit, session)
    if (sandbox === undefined) return sandboxOver(session)
    const { workspaceId, lovedOneName, messageCount } = sandbox
    return { page: discardSandboxPage({ viewer: toViewer(session), workspaceId, lovedOneName, messageCount }) }
  }
}

/** Deletes what an assistant opened for this person. */
export function discardSandbox(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    try {
      await ctx.sandbox.discardSandbox({ workspaceId: visit.param('id').slice(0, 128) }, asPerson(session, visit))
    } catch (error) {
      if (error instanceof StatusError && error.status === 'NOT_FOUND') return sandboxOver(session)
      throw error
    }
    const lines = ['It is gone, with all that was in it. Its address takes no mail any more, and nobody gets it again.']
    const next = { label: 'To the first page', href: '/' }
    return { page: messagePage({ title: 'The inbox is deleted', lines, next, viewer: toViewer(session) }) }
  }
}

type DiscardSandboxData = { viewer: Viewer; workspaceId: string; lovedOneName: string; messageCount: number }

/** Asks once more before what an assistant opened is deleted. */
function discardSandboxPage({ viewer, workspaceId, lovedOneName, messageCount }: DiscardSandboxData): Page {
  const mail = messageCount === 1 ? 'the message in it' : `the ${messageCount} messages in it`
  return {
    title: 'Delete this inbox?',
    viewer,
    main: html`<h1>Delete the inbox for <bdi>${lovedOneName}</bdi>?</h1>
<p>It goes for good, with ${messageCount === 0 ? 'its address' : `its address and ${mail}`}. Nobody is told. If you do nothing, it is deleted by itself when its time is up.</p>
<form method="post" action="/onboarding/${workspaceId}/discard"><div class="row"><button class="danger">Delete it</button> <a href="/onboarding/${workspaceId}">Go back</a></div></form>`,
  }
}
