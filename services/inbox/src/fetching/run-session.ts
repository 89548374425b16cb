import type { ImapFlow, MailboxObject } from 'imapflow'
import type { Arriving } from '../arriving/store-mail.ts'
import type { Context } from '../context.ts'
import type { FetchedMailbox, Position } from '../models/mailbox.ts'
import { connect } from './connect.ts'
import { type Fetching, fetchNewMail } from './fetch-new-mail.ts'
import { MailboxProblem } from './mailbox-problem.ts'
import { requireHeld } from './require-held.ts'

/** Servers tell of new mail at once (RFC 2177). This finds what one forgot to tell. */
const LOOK_AGAIN_MS = 10 * 60_000

/**
 * Fetches a mailbox's mail and waits for more, until `signal` aborts, the server ends the connection, or somebody else has the
 * mailbox.
 * @throws why it ended, unless `signal` aborted it
 */
export async function runSession(ctx: Arriving, row: FetchedMailbox, signal: AbortSignal): Promise<void> {
  let client: ImapFlow | undefined
  try {
    client = await connect(ctx, row, signal)
    const news = watchForNews(client)
    const fetching: Fetching = {
      ctx,
      row,
      client,
      signal,
      position: await findPosition(ctx, row, await open(client, row)),
    }
    for (;;) {
      news.clear()
      await fetchNewMail(fetching)
      await requireHeld(ctx, row, { $set: { checkedAt: new Date(), failures: 0 }, $unset: { problem: 1 } })
      await news.wait(LOOK_AGAIN_MS)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    client?.close()
  }
}

/** Opens it for reading only, unless something changes in it. */
async function open(client: ImapFlow, { server, action }: FetchedMailbox) {
  try {
    return await client.mailboxOpen(server.folder, { readOnly: action === 'leave' })
  } catch (error) {
    throw client.usable ? new MailboxProblem('folder', error) : error
  }
}

/**
 * Where to go on in the folder that was just opened. The first time, that is behind the mail that is there, or before it. After a
 * change of UIDVALIDITY everything has a new UID, so all is looked at again.
 */
async function findPosition(ctx: Context, row: FetchedMailbox, opened: MailboxObject): Promise<Position> {
  const uidValidity = `${opened.uidValidity}`
  if (row.position?.uidValidity === uidValidity) return row.position
  const position = positionIn(row, uidValidity, opened.uidNext)
  await requireHeld(ctx, row, { $set: { position } })
  return position
}

function positionIn({ position, withEarlier }: FetchedMailbox, uidValidity: string, uidNext: number): Position {
  if (position !== undefined) return { uidValidity, lastUid: 0, knownBelow: uidNext }
  return withEarlier ? { uidValidity, lastUid: 0, earlierBelow: uidNext } : { uidValidity, lastUid: uidNext - 1 }
}

/** Remembers what the server said while we were busy. */
function watchForNews(client: ImapFlow) {
  let hasNews = false
  let isClosed = false
  let end = () => {}
  const onNews = () => {
    hasNews = true
    end()
  }
  client.on('exists', onNews)
  // UIDVALIDITY may be another one now; a new connection finds out.
  client.on('mailboxClose', () => client.close())
  client.on('close', () => {
    isClosed = true
    end()
  })
  return {
    clear() {
      hasNews = false
    },
    async wait(ms: number): Promise<void> {
      if (!(hasNews || isClosed)) {
        const { promise, resolve } = Promise.withResolvers<void>()
        const timer = setTimeout(resolve, ms)
        end = resolve
        // The next command ends it. Without news, so does the time.
        void client.idle().catch(() => resolve())
        await promise
        clearTimeout(timer)
        end = () => {}
      }
      if (isClosed) throw Object.assign(new Error('the server closed the connection'), { code: 'NoConnection' })
    },
  }
}
