import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { messagePage, type Page, type Viewer } from '../shell/page.ts'
import { asPerson, type SignedInHandler, toViewer } from '../shell/session.ts'
import { findSandbox, sandboxUnavailable } from './claim.ts'

export function showDiscardSandbox(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const sandbox = await findSandbox(ctx, visit, session)
    if (sandbox === undefined) return sandboxUnavailable(session)
    const { workspaceId, lovedOneName, messageCount } = sandbox
    return { page: discardSandboxPage({ viewer: toViewer(session), workspaceId, lovedOneName, messageCount }) }
  }
}

export function discardSandbox(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    try {
      await ctx.sandbox.discardSandbox({ workspaceId: visit.id('id'), all: false }, asPerson(session, visit))
    } catch (error) {
      if (error instanceof StatusError && error.status === 'NOT_FOUND') return sandboxUnavailable(session)
      throw error
    }
    return { redirectTo: '/onboarding', flash: 'sandbox-deleted' }
  }
}

type DiscardSandboxData = { viewer: Viewer; workspaceId: string; lovedOneName: string; messageCount: number }

function discardSandboxPage({ viewer, workspaceId, lovedOneName, messageCount }: DiscardSandboxData): Page {
  const mail = messageCount === 1 ? 'the message in it' : `the ${messageCount} messages in it`
  return {
    title: 'Delete this inbox?',
    viewer,
    main: html`<h1>Delete the inbox for <bdi>${lovedOneName}</bdi>?</h1>
<p>This permanently deletes ${messageCount === 0 ? 'its address' : `its address and ${mail}`}. Nobody gets a notification. If you do nothing, it expires and is deleted automatically.</p>
<form method="post" action="/onboarding/${workspaceId}/discard"><div class="row"><button class="danger">Delete inbox</button> <a href="/onboarding/${workspaceId}">Go back</a></div></form>`,
  }
}

export function showDiscardAll(): SignedInHandler {
  return async (_visit, session) => ({ page: discardAllPage(toViewer(session)) })
}

/** Deletes every sandbox set up for this person. */
export function discardAll(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    await ctx.sandbox.discardSandbox({ workspaceId: '', all: true }, asPerson(session, visit))
    const lines = ['The inboxes and everything in them are being deleted. Their addresses will never be reused.']
    const next = { label: 'Go to the home page', href: '/' }
    return { page: messagePage({ title: 'Inboxes deleted', lines, next, viewer: toViewer(session) }) }
  }
}

function discardAllPage(viewer: Viewer): Page {
  return {
    title: 'Delete all of these inboxes?',
    viewer,
    main: html`<h1>Delete all of these inboxes?</h1>
<p>This permanently deletes every inbox that assistants set up for <bdi>${viewer.email}</bdi> and that nobody took over, with all mail in them. Your families are not affected, and nobody gets a notification.</p>
<form method="post" action="/onboarding/all/discard"><div class="row"><button class="danger">Delete all</button> <a href="/onboarding">Go back</a></div></form>`,
  }
}
