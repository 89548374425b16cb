import type { OutboxMail } from '../dev-outbox.ts'
import { html } from '../html.ts'
import type { ReaderClock } from '../http/reader-clock.ts'
import type { Page } from '../layout/page.ts'
import { momentOf } from '../parts/moment.ts'

/** Shows the mail this installation would have sent, while it runs on one's own machine. */
export function devMailPage(mails: OutboxMail[], clock: ReaderClock): Page {
  return {
    title: 'Mail that was not sent',
    main: html`<h1>Mail that was not sent</h1>
<p>This installation runs on your own machine and hands its mail to nobody. Set <code>SMTP_URL</code> to have it sent.</p>
${mails.length === 0 && html`<p class="aside">Nothing yet. Sign-in codes, invitations and replies appear here.</p>`}
${mails.map(
  ({ to, from, subject, text, writtenAt }) => html`<article>
<h2><bdi>${subject}</bdi></h2>
<p class="hint">From <bdi>${from}</bdi> to <bdi>${to}</bdi>, ${momentOf(writtenAt, clock)}</p>
<pre>${text}</pre>
</article>`,
)}`,
  }
}
