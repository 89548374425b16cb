import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { dayOf } from '../shell/moment.ts'
import type { Page, Viewer } from '../shell/page.ts'
import { paging, withQuery } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson, type SignedInHandler, toViewer } from '../shell/session.ts'

export function showOnboarding(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const pageToken = visit.query('after')
    const request = { workspaceId: '', pageToken }
    const { sandboxes, nextPageToken } = await ctx.sandbox.listClaimableSandboxes(request, asPerson(session, visit))
    const isFirstPage = pageToken === ''
    const [only, ...others] = sandboxes
    if (isFirstPage && only && others.length === 0) return { redirectTo: `/onboarding/${only.workspaceId}` }
    const viewer = toViewer(session)
    return { page: onboardingPage({ viewer, clock: visit.clock, sandboxes, nextPageToken, isFirstPage }) }
  }
}

const PATH = '/onboarding'

type OnboardingData = {
  viewer: Viewer
  clock: ReaderClock
  sandboxes: { workspaceId: string; workspaceName: string; lovedOneName: string; expiresAt: Date | undefined }[]
  nextPageToken: string
  isFirstPage: boolean
}

function onboardingPage({ viewer, clock, sandboxes, nextPageToken, isFirstPage }: OnboardingData): Page {
  if (isFirstPage && sandboxes.length === 0) return noSandboxPage(viewer)
  return {
    title: 'Set up for you',
    viewer,
    main: html`<h1>Which inbox do you want to see?</h1>
<p>Assistants set up these inboxes for your email address. The newest comes first. You can take over or delete each one.</p>
<ul class="rows">${sandboxes.map(
      ({ workspaceId, workspaceName, lovedOneName, expiresAt }) =>
        html`<li><a class="go" href="/onboarding/${workspaceId}"><strong><bdi>${workspaceName}</bdi></strong> <span>For <bdi>${lovedOneName}</bdi>${
          expiresAt && html`, expires ${dayOf(expiresAt, clock)}`
        }</span></a></li>`,
    )}</ul>
${paging({
  firstHref: isFirstPage ? undefined : PATH,
  nextHref: nextPageToken === '' ? undefined : withQuery(PATH, { after: nextPageToken }),
  words: { first: 'Newest inboxes', next: 'Older inboxes' },
})}
<p>You don’t want any of them? <a href="/onboarding/all/discard">Delete all of them</a></p>
<p class="aside">Not what you expected? You can also <a href="/welcome">create your family’s inbox yourself</a>.</p>`,
  }
}

function noSandboxPage(viewer: Viewer): Page {
  return {
    title: 'No inbox found for this address',
    viewer,
    main: html`<h1>No inbox found for this address</h1>
<p>You are signed in as <bdi>${viewer.email}</bdi>. You can take over an inbox only with the exact address it was set up for, and only until it expires.</p>
<form method="post" action="/sign-out"><input type="hidden" name="return_to" value="/onboarding"><button>Sign in with a different address</button></form>
<p class="aside">Or ask your assistant to set up another one with this address as primaryCaregiverEmail. You can also <a href="/welcome">create your family’s inbox yourself</a>.</p>`,
  }
}
