import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import type { Page } from '../shell/page.ts'
import { safeReturnTo, withReturnTo } from '../shell/return-to.ts'
import { asPerson, findSession } from '../shell/session.ts'
import type { VisitHandler } from '../shell/visit.ts'

/** Ends the session where it is kept, then forgets it here. When it cannot be ended, the error says so and it stays. */
export function signOut(ctx: Context): VisitHandler {
  return async (visit) => {
    const session = await findSession(ctx, visit)
    if (session) await ctx.auth.revokeSessions({ sessionId: session.sessionId }, asPerson(session, visit))
    const returnTo = safeReturnTo(visit.field('return_to'))
    const redirectTo = returnTo === '/' ? '/signed-out' : withReturnTo('/sign-in', returnTo)
    return { redirectTo, cookies: [{ name: 'session' }] }
  }
}

/** Says that the session is over. */
export function showSignedOut(): VisitHandler {
  return async () => ({ page: signedOutPage() })
}

/** Says that the session is over, for people on a borrowed computer. */
function signedOutPage(): Page {
  return {
    title: 'You are signed out',
    main: html`<h1>You are signed out</h1>
<p>This browser can no longer see your family’s inbox. Assistants you connected go on working until you disconnect them.</p>
<p><a class="button" href="/sign-in">Sign in again</a></p>`,
  }
}
