import { fieldText, readHeaderFields } from '@family-inbox/mail-reader/mime/header-fields'
import { createFairBudget } from '@family-inbox/service-kit/lifecycle/fair-budget'
import { count } from '@family-inbox/service-kit/observability/metrics'
import type { FetchMessageObject, ImapFlow } from 'imapflow'
import { deliver } from '../arriving/deliver.ts'
import { MAX_MAIL_BYTES } from '../arriving/read-data.ts'
import { isRefusal } from '../arriving/refusals.ts'
import type { Arriving } from '../arriving/store-mail.ts'
import { crashPoint } from '../crash-points.ts'
import type { FetchedMailbox, Position } from '../models/mailbox.ts'
import { findRecipients } from './find-recipients.ts'
import { MailboxProblem } from './mailbox-problem.ts'
import { requireHeld } from './require-held.ts'
import { type MailFacts, whichMail } from './which-mail.ts'

/** Of earlier mail, only the newest so many messages come. */
const MAX_EARLIER = 10_000
/** After a crash, at most so many messages are fetched once more; none is stored twice. */
const BATCH = 25
/** Shared by all mailboxes; each holds one message at a time. */
const memory = createFairBudget(4 * MAX_MAIL_BYTES)

const fetchedMail = count({
  name: 'mail_fetched_total',
  help: 'Messages of mailboxes that families added, by what became of them.',
  labels: ['outcome'] as const,
})

export type Fetching = {
  ctx: Arriving
  row: FetchedMailbox
  client: ImapFlow
  signal: AbortSignal
  position: Position
}

/**
 * Fetches what is behind the position: a message is stored, then handled in the mailbox, and then the position moves. A crash
 * between two of these only repeats them.
 */
export async function fetchNewMail(fetching: Fetching): Promise<void> {
  const uids = await findUids(fetching)
  for (let start = 0; start < uids.length; start += BATCH) await fetchBatch(fetching, uids.slice(start, start + BATCH))
}

async function findUids({ client, position }: Fetching): Promise<number[]> {
  // A range that ends with `*` names the last message even if it is before its start (RFC 9051 9, seq-range).
  const found = await client.search({ uid: `${position.lastUid + 1}:*` }, { uid: true })
  if (!Array.isArray(found)) throw new MailboxProblem('server')
  const uids = found.filter((uid) => uid > position.lastUid).sort((a, b) => a - b)
  const { earlierBelow = 0, knownBelow = 0 } = position
  const old = uids.filter((uid) => uid < Math.max(earlierBelow, knownBelow))
  return uids.slice(Math.max(0, old.length - MAX_EARLIER))
}

async function fetchBatch(fetching: Fetching, uids: number[]): Promise<void> {
  const { ctx, row, client, signal } = fetching
  const found = await client.fetchAll(
    uids,
    { uid: true, size: true, envelope: true, internalDate: true },
    { uid: true },
  )
  const stored: number[] = []
  const counts = { fetched: 0, tooLarge: 0 }
  for (const mail of found.map(factsOf).sort((a, b) => a.uid - b.uid)) {
    signal.throwIfAborted()
    const verdict = whichMail(row, fetching.position, mail, new Date(), ctx.config.mailKeptDays)
    if (verdict === 'tooLarge') counts.tooLarge += 1
    if (verdict === 'new' || verdict === 'earlier') {
      // Removed or taken over: nothing more is stored.
      await requireHeld(ctx, row)
      if (await store(fetching, mail, verdict === 'earlier')) stored.push(mail.uid)
    }
    fetchedMail.inc({ outcome: verdict })
  }
  counts.fetched = stored.length
  await handle(fetching, stored)
  crashPoint('fetched-mail-handled')
  fetching.position = { ...fetching.position, lastUid: uids.at(-1) ?? fetching.position.lastUid }
  await requireHeld(ctx, row, { $set: { position: fetching.position }, $inc: counts })
  crashPoint('mailbox-advanced')
}

function factsOf({ uid, size = 0, envelope, internalDate }: FetchMessageObject): MailFacts {
  return {
    uid,
    size,
    from: envelope?.from?.[0]?.address ?? '',
    internalDate: toDate(internalDate) ?? new Date(),
    sentAt: toDate(envelope?.date),
  }
}

function toDate(written: Date | string | undefined): Date | undefined {
  const date = written === undefined ? undefined : new Date(written)
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date
}

/** @returns false if it is gone meanwhile, or nobody could store it @throws Refusal if it can be stored later */
async function store(fetching: Fetching, { uid, size, internalDate }: MailFacts, isEarlier: boolean): Promise<boolean> {
  const { ctx, row, client, signal } = fetching
  const owners = [row.workspaceId]
  using _memory = await memory.takeWhenFree(owners, size, signal)
  const found = await client.fetchOne(`${uid}`, { source: true }, { uid: true })
  const raw = found === false ? undefined : found.source
  if (raw === undefined || raw.length === 0) return false
  using _share = await ctx.storing.takeWhenFree(owners, 1, signal)
  const { authservId } = row.server
  const fetched = authservId === undefined ? {} : { authservId }
  const envelope = { sender: readReturnPath(raw), helo: '', peer: '', fetched }
  const receivedAt = new Date(Math.min(internalDate.getTime(), Date.now()))
  try {
    const named = await findRecipients(ctx, row, raw)
    const recipients = named.length > 0 ? named : [{ inbox: await requireInbox(fetching) }]
    await deliver(ctx, { raw, envelope, ...(isEarlier && { receivedAt, isEarlier }) }, recipients)
    return true
  } catch (error) {
    // A mail that loops, or is no report at an address for reports, never gets better, and must not hold up the others.
    if (isRefusal(error) && error.responseCode >= 550) return false
    throw error
  }
}

/** The sender of the envelope, which delivery wrote on top (RFC 5321 4.4). Empty for a bounce; without the field, unknown. */
function readReturnPath(raw: Buffer): string {
  const { fields } = readHeaderFields(raw, 0, () => false)
  const written = fieldText(fields, 'return-path')
  return written === undefined ? 'unknown' : (/<([^<>]*)>/.exec(written)?.[1] ?? written).trim()
}

async function requireInbox({ ctx, row: { addressId, workspaceId, lovedOneId } }: Fetching) {
  const address = await ctx.inboxAddresses.findOne({ _id: addressId, removedAt: null }, { quota: 1 }).lean()
  if (address === null) throw new MailboxProblem('inboxGone')
  return { workspaceId, lovedOneId, addressId, ...(address.quota !== undefined && { quota: address.quota }) }
}

/** Does in the mailbox what the family chose. Repeating it changes nothing. */
async function handle({ row, client }: Fetching, uids: number[]): Promise<void> {
  if (uids.length === 0 || row.action === 'leave') return
  if (row.action === 'markRead') {
    if (!(await client.messageFlagsAdd(uids, ['\\Seen'], { uid: true }))) throw new MailboxProblem('server')
    return
  }
  const moved = await client.messageMove(uids, row.moveTo ?? '', { uid: true }).catch((error) => {
    throw client.usable ? new MailboxProblem('moveFolder', error) : error
  })
  if (moved === false) throw new MailboxProblem('moveFolder')
}
