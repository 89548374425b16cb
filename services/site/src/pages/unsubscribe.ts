import { html } from '../html.ts'
import type { Page } from '../layout/page.ts'

/** Asks whether mail about new messages shall end: a mail program may open the link by itself, so opening it ends nothing. */
export function unsubscribePage({ token }: { token: string }): Page {
  return {
    title: 'End these mails?',
    main: html`<h1>End these mails?</h1>
<p>We then no longer write to you when something new is in that inbox. The inbox itself stays as it is.</p>
<form method="post" action="/unsubscribe/${token}"><button>End these mails</button></form>
<p class="aside">You can have them again at any time, under Settings, Notifications.</p>`,
  }
}
