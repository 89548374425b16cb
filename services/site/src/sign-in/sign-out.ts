import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import type { Page } from '../shell/page.ts'
import { safeReturnTo, withReturnTo } from '../shell/return-to.ts'
import { asPerson, findSession } from '../shell/session.ts'
import type { VisitHandler } from '../shell/visit.ts'

/** Ends the session in auth, then deletes its cookie. If auth fails, the person stays signed in. */
export function signOut(ctx: Context): VisitHandler {
  return async (visit) => {
    const session = await findSession(ctx, visit)
    if (session) await ctx.auth.revokeSessions({ sessionId: session.sessionId }, asPerson(session, visit))
    const returnTo = safeReturnTo(visit.field('return_to'))
    const redirectTo = returnTo === '/' ? '/signed-out' : withReturnTo('/sign-in', returnTo)
    return { redirectTo, cookies: [{ name: 'session' }, { name: 'carried' }] }
  }
}

export function showSignedOut(): VisitHandler {
  return async (visit) => ({ page: signedOutPage(visit.query('assistants') === 'disconnected') })
}

function signedOutPage(areDisconnected: boolean): Page {
  return {
    title: 'You are signed out',
    main: html`<h1>You are signed out</h1>
<p>This browser can no longer see your family’s inbox. ${areDisconnected ? 'Your assistants are disconnected.' : 'Assistants you connected keep working until you disconnect them.'}</p>
<p><a class="button" href="/sign-in">Sign in again</a></p>`,
  }
}
