import { setTimeout as sleep } from 'node:timers/promises'
import { ensureMailStream, MAIL_STREAM, MAIL_SUBJECTS } from '@family-inbox/outgoing-mail/mail-stream'
import { OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { describeError } from '@family-inbox/service-kit/logger'
import { AckPolicy, type ConsumerMessages, type JsMsg, nanos } from 'nats'
import type { Context } from '../context.ts'
import { sendOnce } from './send-once.ts'

const CONSUMER = 'inbox-sender'
/** A mail whose sender has not been heard of for so long is given to another replica. */
const ACK_WAIT_MS = 15_000
const SIGN_OF_LIFE_MS = 4000
const AT_ONCE = 8
const TROUBLE_MS = 2000

/**
 * Sends what is queued, for as long as the process lives: one durable consumer for all replicas. A mail leaves the queue
 * when it is dealt with for good; until then it comes back after the time `sendOnce` says. While NATS is away, or the
 * stream is gone, the queue is opened again and again.
 */
export function sendQueue(ctx: Context): AsyncDisposable {
  let isClosed = false
  let open: ConsumerMessages | undefined

  async function run(): Promise<void> {
    while (!isClosed) {
      try {
        open = await openQueue(ctx)
        const messages = open[Symbol.asyncIterator]()
        await Promise.all(Array.from({ length: AT_ONCE }, () => work(ctx, messages)))
      } catch (error) {
        ctx.logger.warn(describeError(error), 'the mail queue cannot be read yet')
      }
      if (!isClosed) await sleep(TROUBLE_MS, undefined, { ref: false })
    }
  }

  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      isClosed = true
      await open?.close()
      if (open !== undefined) await running
    },
  }
}

async function openQueue(ctx: Context): Promise<ConsumerMessages> {
  const nats = await ctx.mailQueue.connection
  await ensureMailStream(nats, ctx.config.natsReplicas)
  const manager = await nats.jetstreamManager({ timeout: 5000 })
  await manager.consumers.add(MAIL_STREAM, {
    durable_name: CONSUMER,
    filter_subject: MAIL_SUBJECTS,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ACK_WAIT_MS),
    max_ack_pending: 1000,
    max_deliver: -1,
  })
  const consumer = await nats.jetstream().consumers.get(MAIL_STREAM, CONSUMER)
  return consumer.consume({ max_messages: AT_ONCE })
}

/** All workers take from one iterator: the queue allows no second one. */
async function work(ctx: Context, messages: AsyncIterator<JsMsg>): Promise<void> {
  for (let next = await messages.next(); !next.done; next = await messages.next()) await dealWith(ctx, next.value)
}

async function dealWith(ctx: Context, message: JsMsg): Promise<void> {
  // A slow mail server may take longer than the queue waits for a sender that is gone.
  const signsOfLife = setInterval(() => message.working(), SIGN_OF_LIFE_MS)
  try {
    const mail = OutgoingMail.decode(message.data)
    const { again } = await sendOnce(ctx, mail, new Date(message.info.timestampNanos / 1e6))
    if (again === undefined) await message.ackAck()
    else message.nak(again)
  } catch (error) {
    ctx.logger.error(describeError(error), 'a queued mail could not be dealt with yet')
    message.nak(TROUBLE_MS)
  } finally {
    clearInterval(signsOfLife)
  }
}
