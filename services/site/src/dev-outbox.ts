import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import PostalMime from 'postal-mime'

/** A mail that was written into the outbox folder instead of being sent, on somebody's own machine. */
export type OutboxMail = { id: string; to: string; from: string; subject: string; text: string; writtenAt: Date }

const NEWEST = 50

/** The newest mails in the outbox folder, newest first; none when there is no folder yet. */
export async function readOutbox(folder: string): Promise<OutboxMail[]> {
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
