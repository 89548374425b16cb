import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { messagePage } from '../shell/message-page.ts'
import type { Page } from '../shell/page.ts'
import { asSite } from '../shell/session.ts'
import type { VisitHandler } from '../shell/visit.ts'

/** Asks for confirmation. Mail programs may open links on their own, so a GET changes nothing. Looks the same for any token. */
export function showUnsubscribe(): VisitHandler {
  return async (visit) => ({ page: unsubscribePage({ token: visit.param('token') }) })
}

/** Turns notifications off, from our page or from a mail program (RFC 8058). */
export function unsubscribe(ctx: Context): VisitHandler {
  return async (visit) => {
    await ctx.auth.admitForm({ clientAddress: visit.clientAddress }, asSite(visit))
    await ctx.inbox.unsubscribe({ token: visit.param('token').slice(0, 128) }, asSite(visit))
    const lines = ['You won’t get notifications about new mail in that inbox. The inbox itself hasn’t changed.']
    return {
      page: messagePage({ title: 'Notifications are off', lines, next: { label: 'Open inbox', href: '/' } }),
    }
  }
}

function unsubscribePage({ token }: { token: string }): Page {
  return {
    title: 'Turn off notifications?',
    main: html`<h1>Turn off notifications?</h1>
<p>You will no longer get an email when new mail arrives in that inbox.</p>
<form method="post" action="/unsubscribe/${token}"><button>Turn off notifications</button></form>
<p class="aside">You can turn them on again under Settings, Notifications.</p>`,
  }
}
