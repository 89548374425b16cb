import { html } from '../html.ts'
import type { Page, Viewer } from '../layout/page.ts'

export type DiscardSandboxData = { viewer: Viewer; workspaceId: string; lovedOneName: string; messageCount: number }

/** Asks once more before what an assistant opened is deleted. */
export function discardSandboxPage({ viewer, workspaceId, lovedOneName, messageCount }: DiscardSandboxData): Page {
  const mail = messageCount === 1 ? 'the message in it' : `the ${messageCount} messages in it`
  return {
    title: 'Delete this inbox?',
    viewer,
    main: html`<h1>Delete the inbox for <bdi>${lovedOneName}</bdi>?</h1>
<p>It goes for good, with ${messageCount === 0 ? 'its address' : `its address and ${mail}`}. Nobody is told. If you do nothing, it is deleted by itself when its time is up.</p>
<form method="post" action="/onboarding/${workspaceId}/discard"><div class="row"><button class="danger">Delete it</button> <a href="/onboarding/${workspaceId}">Go back</a></div></form>`,
  }
}
