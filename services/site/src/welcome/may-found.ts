import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import type { Page } from '../shell/page.ts'
import { asPerson, type Session, type SignedInHandler, toViewer } from '../shell/session.ts'

/** Wraps the pages that create a family. Unless sign-up is open, people in no family here read why they can’t; care-circle refuses the form. */
export function mayFound(ctx: Context, handler: SignedInHandler): SignedInHandler {
  return async (visit, session) => {
    if ((await ctx.readSwitches()).signUp === 'open') return handler(visit, session)
    const { workspaces } = await ctx.careCircle.listWorkspaces({}, asPerson(session, visit))
    return workspaces.length > 0 ? handler(visit, session) : { status: 403, page: noFamilyPage(session) }
  }
}

function noFamilyPage(session: Session): Page {
  return {
    title: 'You’re not in a family yet',
    viewer: toViewer(session),
    main: html`<h1>You’re not in a family yet</h1>
<p>You are signed in as <bdi>${session.email}</bdi>. This installation takes new people by invitation, so you can’t create a family here.</p>
<p>Were you invited? Open the link in the invitation. Otherwise, ask your family for one.</p>
<form method="post" action="/sign-out"><input type="hidden" name="return_to" value="/"><button>Sign out</button></form>
<p class="aside">Don’t need your account anymore? You can <a href="/settings/your-data/delete-account">delete your account</a>.</p>`,
  }
}
