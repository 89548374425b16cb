import { clientNetwork } from '@family-inbox/service-kit/client-network'
import { createFairBudget } from '@family-inbox/service-kit/fair-budget'
import { describeError } from '@family-inbox/service-kit/logger'
import type { SMTPServerDataStream } from 'smtp-server'
import type { Context } from '../context.ts'
import { inTime } from '../in-time.ts'
import type { Envelope } from '../models/message.ts'
import { deliver } from './deliver.ts'
import { MAX_MAIL_BYTES, readData } from './read-data.ts'
import type { RecipientInbox } from './recipient.ts'
import { isRefusal, type Refusal, refusals } from './refusals.ts'

/** Eight of the largest messages at once, or many more ordinary ones; a single sender may take half of it. */
const MEMORY_BYTES = 8 * MAX_MAIL_BYTES
/** Longer than a slow disk needs, and short enough to tell a sender that MongoDB stopped in the middle. */
const STORE_MS = 10_000

export type Transaction = {
  envelope: Envelope
  inboxes: RecipientInbox[]
  /** Ends the connection with this answer. */
  cutOff: (refusal: Refusal) => void
}

export type ReceiveMail = (stream: SMTPServerDataStream, transaction: Transaction) => Promise<void>

/**
 * Makes what takes one message after another (RFC 5321 DATA). When it returns, the message is on disk in every recipient's
 * inbox; it throws a Refusal, or any other error when the client is gone.
 */
export function createReceiveMail(ctx: Context): ReceiveMail {
  const memory = createFairBudget(MEMORY_BYTES)
  return async (stream, { envelope, inboxes, cutOff }) => {
    const owners = [`peer ${clientNetwork(envelope.peer)}`, ...inboxes.map(({ workspaceId }) => workspaceId)]
    const share = memory.take(owners, 0)
    if (share === undefined) throw refusals.noRoom()
    const { raw, release } = await readData(stream, share, cutOff)
    const stored = storeFairly(ctx, owners, () => deliver(ctx, { raw, envelope }, inboxes))
    await orPutOff(ctx, stored.finally(release))
  }
}

/** The share and memory are given back when the work has ended, however long the client was willing to wait for it. */
async function storeFairly({ storing }: Context, owners: string[], work: () => Promise<void>): Promise<void> {
  using share = storing.take(owners, 1)
  if (share === undefined) throw refusals.notNow()
  await work()
}

async function orPutOff(ctx: Context, stored: Promise<void>): Promise<void> {
  try {
    await inTime(STORE_MS, stored)
  } catch (error) {
    if (isRefusal(error)) throw error
    ctx.logger.warn(describeError(error), 'a mail could not be stored, its sender was asked to try again')
    throw refusals.notNow()
  }
}
