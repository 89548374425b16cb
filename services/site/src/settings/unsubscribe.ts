import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { messagePage } from '../shell/message-page.ts'
import type { Page } from '../shell/page.ts'
import { asSite } from '../shell/session.ts'
import type { VisitHandler } from '../shell/visit.ts'

/** Asks whether mail about new messages shall end. Says the same for any link, so that it tells a stranger nothing. */
export function showUnsubscribe(): VisitHandler {
  return async (visit) => ({ page: unsubscribePage({ token: visit.param('token') }) })
}

/** Ends mail about new messages, for whoever has such a mail: by the button of our page, or by a mail program (RFC 8058). */
export function unsubscribe(ctx: Context): VisitHandler {
  return async (visit) => {
    await ctx.auth.admitForm({ clientAddress: visit.clientAddress }, asSite(visit))
    await ctx.inbox.unsubscribe({ token: visit.param('token').slice(0, 128) }, asSite(visit))
    const lines = ['We no longer write to you about new mail in that inbox. Everything in it stays as it is.']
    return {
      page: messagePage({ title: 'These mails have ended', lines, next: { label: 'Open the inbox', href: '/' } }),
    }
  }
}

/** Asks whether mail about new messages shall end: a mail program may open the link by itself, so opening it ends nothing. */
function unsubscribePage({ token }: { token: string }): Page {
  return {
    title: 'End these mails?',
    main: html`<h1>End these mails?</h1>
<p>We then no longer write to you when something new is in that inbox. The inbox itself stays as it is.</p>
<form method="post" action="/unsubscribe/${token}"><button>End these mails</button></form>
<p class="aside">You can have them again at any time, under Settings, Notifications.</p>`,
  }
}
