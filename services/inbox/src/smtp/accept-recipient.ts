import { describeError } from '@family-inbox/service-kit/observability/logger'
import { foldEmail } from '@family-inbox/service-kit/text/text-rules'
import type { Context } from '../context.ts'
import type { InboxAddress } from '../models/inbox-address.ts'
import { requireStorage } from '../storage/reserve-storage.ts'
import { withTimeout } from '../with-timeout.ts'
import { localPartOf, type RecipientInbox } from './recipient.ts'
import { refusals } from './refusals.ts'

/** Recipients that do not exist, on one connection, before it is closed. */
const MAX_UNKNOWN = 10
const LIMITS_MS = 1500

/**
 * Judges one envelope recipient (RFC 5321 RCPT): mail is taken only for an address that exists, so nothing ever bounces.
 * @returns undefined for our own sender address, to which others report what became of our mail
 * @param refused counts this connection's unknown recipients
 * @param declaredBytes what the sender says the message has (RFC 1870), 0 when it says nothing
 * @throws Refusal
 */
export async function acceptRecipient(
  ctx: Context,
  recipient: string,
  refused: { count: number },
  declaredBytes = 0,
): Promise<RecipientInbox | undefined> {
  if (foldEmail(recipient) === foldEmail(ctx.config.senderAddress)) return undefined
  const inbox = await lookUp(ctx, recipient)
  if (inbox?.quota !== undefined && inbox.quota.messages < 1) throw refusals.inboxFull()
  if (inbox !== undefined && inbox.quota === undefined)
    await withTimeout(LIMITS_MS, requireStorage(ctx, inbox, declaredBytes))
  if (inbox !== undefined) return inbox
  refused.count += 1
  throw refused.count > MAX_UNKNOWN ? refusals.tooManyErrors() : refusals.unknownRecipient()
}

async function lookUp(ctx: Context, recipient: string): Promise<RecipientInbox | undefined> {
  try {
    return await findInbox(ctx, recipient)
  } catch (error) {
    ctx.logger.warn(describeError(error), 'an address could not be looked up')
    throw refusals.tryLater()
  }
}

const LOOKUP_MS = 1500

/**
 * The inbox an envelope recipient belongs to. The same look-up whether or not there is one, so its time tells nothing.
 * @throws when that cannot be told within 1.5 s
 */
export async function findInbox(ctx: Context, recipient: string): Promise<RecipientInbox | undefined> {
  const localPart = localPartOf(recipient, ctx.config.mailDomain)
  if (localPart === undefined) return undefined
  const fields = { workspaceId: 1, lovedOneId: 1, quota: 1 }
  const lookup = ctx.inboxAddresses.collection.findOne(
    { localPart, removedAt: null, retiredAt: null },
    { projection: fields },
  )
  const row = await withTimeout(LOOKUP_MS, lookup)
  if (row === null) return undefined
  const { workspaceId, lovedOneId, quota } = row as unknown as InboxAddress
  return { workspaceId, lovedOneId, addressId: String(row._id), quota }
}
