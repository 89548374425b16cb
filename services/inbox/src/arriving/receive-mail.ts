import type { SmtpEnvelope } from '@family-inbox/mail-reader/authenticity/authenticity'
import { clientNetwork } from '@family-inbox/service-kit/http/client-network'
import { createFairBudget } from '@family-inbox/service-kit/lifecycle/fair-budget'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { raceDeadline } from '@family-inbox/service-kit/rpc/deadline'
import type { SMTPServerDataStream } from 'smtp-server'
import type { Context } from '../context.ts'
import type { Recipient } from './accept-recipient.ts'
import { familiesOf, type IncomingMail } from './deliver.ts'
import { MAX_MAIL_BYTES, readData } from './read-data.ts'
import { isRefusal, type Refusal, refusals } from './refusals.ts'
import type { Arriving } from './store-mail.ts'

/** Eight of the largest messages, by SMTP and LMTP together; a single sender may use half. */
const memory = createFairBudget(8 * MAX_MAIL_BYTES)
/** Longer than a slow disk needs, and short enough to answer the sender when MongoDB stops. */
const STORE_MS = 10_000

type Transaction = {
  envelope: SmtpEnvelope
  recipients: Recipient[]
  cutOff: (refusal: Refusal) => void
}

type ReceiveMail<T> = (stream: SMTPServerDataStream, transaction: Transaction) => Promise<T>

/** RFC 5321 DATA. `store` returns when the message is on disk. Other errors than Refusal: the client left. */
export function createReceiveMail<T>(
  ctx: Arriving,
  store: (mail: IncomingMail, recipients: Recipient[]) => Promise<T>,
): ReceiveMail<T> {
  return async (stream, { envelope, recipients, cutOff }) => {
    const owners = [`peer ${clientNetwork(envelope.peer)}`, ...familiesOf(recipients)]
    const share = memory.take(owners, 0)
    if (share === undefined) throw refusals.memoryFull()
    const { raw, release } = await readData(stream, share, cutOff, ctx.config.smtp.idleTimeoutMs)
    const stored = storeInFairShare(ctx, owners, () => store({ raw, envelope }, recipients))
    return orTryLater(ctx, stored.finally(release))
  }
}

/** Memory and share are released when the work ends, even if the client has left. */
async function storeInFairShare<T>({ storing }: Context, owners: string[], work: () => Promise<T>): Promise<T> {
  using share = storing.take(owners, 1)
  if (share === undefined) throw refusals.tryLater()
  return await work()
}

async function orTryLater<T>(ctx: Context, stored: Promise<T>): Promise<T> {
  try {
    return await raceDeadline(stored, Date.now() + STORE_MS)
  } catch (error) {
    if (isRefusal(error)) throw error
    ctx.logger.warn(describeError(error), 'a mail could not be stored; the sender was asked to retry')
    throw refusals.tryLater()
  }
}
