import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { html } from './shell/html.ts'
import { momentOf } from './shell/moment.ts'
import type { Page } from './shell/page.ts'
import type { ReaderClock } from './shell/reader-clock.ts'
import type { VisitHandler } from './shell/visit.ts'

/** Shows what is in the outbox folder. Mounted only where there is one: on somebody's own machine. */
export function showDevMail(outboxDir: string): VisitHandler {
  return async ({ clock }) => ({ page: devMailPage(await readOutbox(outboxDir), clock) })
}

/** Shows the mail this installation would have sent, while it runs on one's own machine. */
function devMailPage(mails: OutboxMail[], clock: ReaderClock): Page {
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

/** A mail that was written into the outbox folder instead of being sent, on somebody's own machine. */
type OutboxMail = { id: string; to: string; from: string; subject: string; text: string; writtenAt: Date }

const NEWEST = 50

/** The newest mails in the outbox folder, newest first; none when there is no folder yet. */
async function readOutbox(folder: string): Promise<OutboxMail[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'))
  const files = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtime })))
  const newest = files.sort((a, b) => b.at.getTime() - a.at.getTime()).slice(0, NEWEST)
  return Promise.all(newest.map(({ name, at }) => readMail(folder, name, at)))
}

async function readMail(folder: string, name: string, writtenAt: Date): Promise<OutboxMail> {
  const { to = [], from, subject = '', text = '' } = await PostalMime.parse(await readFile(join(folder, name)))
  return {
    id: name.slice(0, -'.eml'.length),
    to: to.map(({ address = '' }) => address).join(', '),
    from: from?.name || from?.address || '',
    subject,
    text,
    writtenAt,
  }
}
