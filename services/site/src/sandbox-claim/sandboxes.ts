import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { momentOf } from '../shell/moment.ts'
import type { Page, Viewer } from '../shell/page.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson, type SignedInHandler, toViewer } from '../shell/session.ts'

/** Leads a person who has proved their address to what assistants opened for it. */
export function showOnboarding(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const { sandboxes } = await ctx.sandbox.listClaimableSandboxes({}, asPerson(session, visit))
    const [only, ...others] = sandboxes
    if (only && others.length === 0) return { redirectTo: `/onboarding/${only.workspaceId}` }
    return { page: onboardingPage({ viewer: toViewer(session), clock: visit.clock, sandboxes }) }
  }
}

type OnboardingData = {
  viewer: Viewer
  clock: ReaderClock
  sandboxes: { workspaceId: string; workspaceName: string; lovedOneName: string; expiresAt: Date | undefined }[]
}

/** Lets a person choose among the inboxes assistants opened for their address; says what to do when there is none. */
function onboardingPage({ viewer, clock, sandboxes }: OnboardingData): Page {
  if (sandboxes.length === 0) return nothingPage(viewer)
  return {
    title: 'Opened for you',
    viewer,
    main: html`<h1>Which one do you want to see?</h1>
<p>Assistants opened ${sandboxes.length} inboxes for your address. You can take over one after the other, or delete them.</p>
<ul class="choices">${sandboxes.map(
      ({ workspaceId, workspaceName, lovedOneName, expiresAt }) =>
        html`<li><a href="/onboarding/${workspaceId}"><strong><bdi>${workspaceName}</bdi></strong></a>, for <bdi>${lovedOneName}</bdi>${
          expiresAt && html`. <span class="hint">Kept until ${momentOf(expiresAt, clock)}</span>`
        }</li>`,
    )}</ul>
<p class="aside">None of these? You can also <a href="/welcome">make your family’s inbox yourself</a>.</p>`,
  }
}

function nothingPage(viewer: Viewer): Page {
  return {
    title: 'Nothing waits here for this address',
    viewer,
    main: html`<h1>Nothing waits here for this address</h1>
<p>You are signed in as <bdi>${viewer.email}</bdi>. What an assistant opened can be taken over only with the very address it was opened for, and only until its time is up.</p>
<form method="post" action="/sign-out"><input type="hidden" name="return_to" value="/onboarding"><button>Sign in with another address</button></form>
<p class="aside">Or ask your assistant to open another one, with this address as primaryCaregiverEmail. You can also <a href="/welcome">make your family’s inbox yourself</a>.</p>`,
  }
}
