import { describeError } from '@family-inbox/service-kit/observability/logger'
import { raceDeadline } from '@family-inbox/service-kit/rpc/deadline'
import { foldEmail } from '@family-inbox/service-kit/rpc/text-rules'
import type { Context } from '../context.ts'
import { type AnswerAddress, findAnswerAddress } from '../models/answer-address.ts'
import type { Delivery } from '../models/delivery.ts'
import type { DeliveryTest } from '../models/delivery-test.ts'
import type { InboxAddress } from '../models/inbox-address.ts'
import type { Inbox } from '../models/message.ts'
import { localPartOf, type MailPlace } from '../own-address.ts'
import { findReturned } from '../sending/return-path.ts'
import { findDeliveryTest } from './receive-delivery-test.ts'
import { refusals } from './refusals.ts'
import { requireStorage } from './store-within-limits.ts'

export type RecipientInbox = Inbox & Pick<InboxAddress, 'quota'>

/** Whose address is secret: an inbox, the return path of one mail, where a notification is answered, or a test of outgoing mail. */
export type SecretRecipient =
  | { inbox: RecipientInbox }
  | { returned: Delivery }
  | { answer: AnswerAddress }
  | { test: DeliveryTest }

/** Besides those, the sender of all our mail, and the operator. */
export type Recipient = SecretRecipient | 'sender' | 'postmaster'

/** The RCPT commands of a connection: since its last message, and with unknown addresses. */
export type RecipientAttempts = { sinceMail: number; unknown: number }

const MAX_UNKNOWN = 10
/** A message has at most fifty recipients; a sender may repeat some. */
const MAX_ATTEMPTS = 200
const LIMITS_MS = 1500

const LOOKUP_MS = 1500

/** Refuses unknown addresses (RFC 5321 RCPT), so nothing bounces. */
export async function acceptRecipient(
  ctx: Context,
  recipient: string,
  attempts: RecipientAttempts,
  declaredBytes = 0,
): Promise<Recipient> {
  attempts.sinceMail += 1
  if (attempts.sinceMail > MAX_ATTEMPTS) throw refusals.tooManyErrors()
  if (foldEmail(recipient) === foldEmail(ctx.config.senderAddress)) return 'sender'
  if (isPostmaster(recipient, ctx.config)) return requirePostmaster(ctx)
  const found = await findRecipient(ctx, recipient)
  if (found === undefined) {
    attempts.unknown += 1
    throw attempts.unknown > MAX_UNKNOWN ? refusals.tooManyErrors() : refusals.unknownRecipient()
  }
  if ('inbox' in found) await requireSpace(ctx, found.inbox, declaredBytes)
  return found
}

async function requireSpace(ctx: Context, inbox: RecipientInbox, declaredBytes: number): Promise<void> {
  if (inbox.quota !== undefined && inbox.quota.messages < 1) throw refusals.inboxFull()
  if (inbox.quota === undefined) await raceDeadline(requireStorage(ctx, inbox, declaredBytes), Date.now() + LIMITS_MS)
}

/** Accepts it with our domain or without one, in any case (RFC 5321 4.5.1). */
function isPostmaster(recipient: string, place: MailPlace): boolean {
  return recipient.toLowerCase() === 'postmaster' || localPartOf(recipient, place) === 'postmaster'
}

function requirePostmaster({ config }: Context): 'postmaster' {
  if (config.postmasterAddress === undefined) throw refusals.noPostmaster()
  return 'postmaster'
}

/** Whose secret address it is. @throws Refusal when the database does not answer */
export async function findRecipient(ctx: Context, recipient: string): Promise<SecretRecipient | undefined> {
  try {
    const [inbox, returned, answer, test] = await Promise.all([
      findInbox(ctx, recipient),
      raceDeadline(findReturned(ctx, recipient), Date.now() + LOOKUP_MS),
      raceDeadline(findAnswerAddress(ctx, recipient, ctx.config), Date.now() + LOOKUP_MS),
      raceDeadline(findDeliveryTest(ctx, recipient), Date.now() + LOOKUP_MS),
    ])
    if (inbox !== undefined) return { inbox }
    if (returned !== undefined) return { returned }
    if (answer !== undefined) return { answer }
    return test && { test }
  } catch (error) {
    ctx.logger.warn(describeError(error), 'an address lookup failed')
    throw refusals.tryLater()
  }
}

/** Same query for known and unknown addresses, so timing reveals nothing. */
export async function findInbox(ctx: Context, recipient: string): Promise<RecipientInbox | undefined> {
  const localPart = localPartOf(recipient, ctx.config)
  if (localPart === undefined) return undefined
  const fields = { workspaceId: 1, lovedOneId: 1, quota: 1 }
  const lookup = ctx.inboxAddresses.collection.findOne(
    { localPart, removedAt: null, retiredAt: null },
    { projection: fields },
  )
  const row = await raceDeadline(lookup, Date.now() + LOOKUP_MS)
  if (row === null) return undefined
  const { workspaceId, lovedOneId, quota } = row as unknown as InboxAddress
  return { workspaceId, lovedOneId, addressId: String(row._id), quota }
}
