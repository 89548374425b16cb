import type { Context } from '../context.ts'
import { dedupeKey } from '../mail/dedupe-key.ts'
import type { Envelope } from '../models/message.ts'
import { hashOriginal, isEmbedded } from '../models/original.ts'
import { noteReport } from '../outgoing/mail-reports.ts'
import { storeWithinRoom } from '../sandbox/store-within-room.ts'
import { storeWithinLimits } from '../storage/store-within-limits.ts'
import { isOwnMail } from './own-mail.ts'
import type { RecipientInbox } from './recipient.ts'
import { refusals } from './refusals.ts'
import { ownMailReturned } from './smtp-metrics.ts'
import type { ReadableMail } from './store-mail.ts'

/** Above this number of Received fields a mail is going in circles (RFC 5321 6.3). */
const MAX_HOPS = 50

export type IncomingMail = { raw: Buffer; envelope: Envelope }

/**
 * Brings a mail into each of its inboxes, one after the other and each for itself. When it returns, every copy is on disk.
 * @param inboxes none when it is for our sender address alone, which takes reports about our mail and nothing else
 * @throws Refusal for a loop; any other error when a copy could not be stored: the sender tries again, and the copies that
 *   are there already are recognised
 */
export async function deliver(ctx: Context, { raw, envelope }: IncomingMail, inboxes: RecipientInbox[]): Promise<void> {
  const receivedAt = new Date()
  const parsed = await ctx.parser.parse(raw, { nullReturnPath: envelope.sender === '' }, inboxes[0]?.workspaceId)
  if (parsed.receivedHops > MAX_HOPS) throw refusals.loop()
  if (parsed.report) await noteReport(ctx, parsed.report)
  else if (inboxes.length === 0) throw refusals.reportsOnly()
  const hash = isEmbedded(raw) ? undefined : hashOriginal(raw)
  const mail = { raw, hash, dedupeKey: dedupeKey(parsed, raw), envelope, receivedAt, parsed }
  const failures: unknown[] = []
  for (const inbox of distinct(inboxes)) await store(ctx, inbox, mail).catch((error) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

async function store(ctx: Context, { room, ...inbox }: RecipientInbox, mail: ReadableMail): Promise<void> {
  if (await isOwnMail(ctx, inbox, mail.parsed)) return void ownMailReturned.inc()
  if (room === undefined) await storeWithinLimits(ctx, inbox, mail)
  else await storeWithinRoom(ctx, inbox, mail)
}

/** An address and the same with a suffix are one inbox. */
function distinct(inboxes: RecipientInbox[]): RecipientInbox[] {
  return [...new Map(inboxes.map((inbox) => [inbox.addressId, inbox])).values()]
}
