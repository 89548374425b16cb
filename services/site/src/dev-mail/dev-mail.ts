import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { html } from '../shell/html.ts'
import { momentOf } from '../shell/moment.ts'
import type { Page } from '../shell/page.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import type { VisitHandler } from '../shell/visit.ts'

const MAX_MAILS = 50

export function showDevMail(outboxDir: string): VisitHandler {
  return async ({ clock }) => ({ page: devMailPage(await readOutbox(outboxDir), clock) })
}

function devMailPage(mails: OutboxMail[], clock: ReaderClock): Page {
  return {
    title: 'Unsent mail',
    main: html`<h1>Unsent mail</h1>
<p>This installation runs on your own computer and doesn’t send mail. To send it, set <code>SMTP_PROVIDER</code> or <code>SMTP_URL</code>.</p>
${mails.length === 0 && html`<p class="aside">No mail yet. Sign-in codes, invitations, and replies will appear here.</p>`}
${mails.map(
  ({ to, from, subject, text, writtenAt }) => html`<article>
<h2><bdi>${subject}</bdi></h2>
<p class="hint">From <bdi>${from}</bdi> to <bdi>${to}</bdi>, ${momentOf(writtenAt, clock)}</p>
<pre>${text}</pre>
</article>`,
)}`,
  }
}

type OutboxMail = { id: string; to: string; from: string; subject: string; text: string; writtenAt: Date }

/** Reads the newest mail, newest first; the folder may not exist yet. */
async function readOutbox(folder: string): Promise<OutboxMail[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'))
  const files = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtime })))
  const newest = files.sort((a, b) => b.at.getTime() - a.at.getTime()).slice(0, MAX_MAILS)
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
