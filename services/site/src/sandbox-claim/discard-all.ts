import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { messagePage, type Page, type Viewer } from '../shell/page.ts'
import { asPerson, type SignedInHandler, toViewer } from '../shell/session.ts'

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
