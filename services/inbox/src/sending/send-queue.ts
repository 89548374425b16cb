import type { JsMsg } from '@family-inbox/service-kit/nats/client'
import {
  consumeStream,
  deferUnsigned,
  eraseAndAck,
  keepInProgress,
  redeliverAfter,
} from '@family-inbox/service-kit/nats/consume-stream'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { gauge } from '@family-inbox/service-kit/observability/metrics'
import { ensureMailStream, MAIL_STREAM, MAIL_SUBJECTS, readSignedMail } from '@family-inbox/workspace-kit/outgoing-mail'
import type { Context } from '../context.ts'
import { sendOnce } from './send-once.ts'
import { createSignMail } from './sign-mail.ts'
import { outboxTransport, smtpTransport, type Transport } from './transport.ts'

const CONSUMER = 'inbox-sender'
const ACK_WAIT_MS = 15_000
const SIGN_OF_LIFE_MS = 4000
const BATCH_SIZE = 8
const TROUBLE_MS = 2000

/** Sends queued mail. A mail leaves the queue when it is done; otherwise it returns after the delay from `sendOnce`. */
export function sendQueue(ctx: Context): AsyncDisposable {
  const { smtpUrl, outboxDir } = ctx.config
  const signing = createSignMail(ctx.config)
  const transport = smtpUrl === undefined ? outboxTransport(outboxDir, signing) : smtpTransport(smtpUrl, signing)
  const consumer = consumeStream({
    connection: ctx.mailQueue.connection,
    stream: MAIL_STREAM,
    ensure: (nats) => ensureMailStream(nats, ctx.config.natsReplicas),
    consumer: CONSUMER,
    rules: { filter_subject: MAIL_SUBJECTS, max_ack_pending: 1000 },
    ackWaitMs: ACK_WAIT_MS,
    concurrency: BATCH_SIZE,
    handle: (message) => handle(ctx, transport, message),
    failureMessage: 'the mail queue could not be read; retrying',
    retryMs: TROUBLE_MS,
    logger: ctx.logger,
  })
  return {
    async [Symbol.asyncDispose]() {
      await consumer[Symbol.asyncDispose]()
      transport.close()
    },
  }
}

async function handle(ctx: Context, transport: Transport, message: JsMsg): Promise<void> {
  // A slow mail server may exceed the queue's ack timeout.
  using _ = keepInProgress(message, SIGN_OF_LIFE_MS)
  try {
    const { streamSequence: seq, timestampNanos } = message.info
    const queuedAt = new Date(timestampNanos / 1e6)
    const mail = await readSignedMail(ctx.identity, message)
    if (mail === undefined) return deferUnsigned(message, ctx.logger)
    const { retryAfterMs } = await sendOnce(ctx, transport, mail, { seq, queuedAt })
    if (retryAfterMs === undefined)
      await eraseAndAck({ connection: ctx.mailQueue.connection, logger: ctx.logger }, message)
    else redeliverAfter(message, retryAfterMs)
  } catch (error) {
    ctx.logger.error(describeError(error), 'a queued mail could not be processed; retrying')
    redeliverAfter(message, TROUBLE_MS)
  }
}

export function watchMailQueue({ mailQueue }: Context): void {
  const stateOf = async () => {
    const nats = await mailQueue.connection
    const manager = await nats.jetstreamManager({ timeout: 1000 })
    return (await manager.streams.info(MAIL_STREAM)).state
  }
  gauge('mail_queue_waiting', 'Outgoing mails waiting to be sent.', async () => (await stateOf()).messages)
  gauge('mail_queue_oldest_seconds', 'Age of the oldest mail waiting to be sent.', async () => {
    const { messages, first_ts } = await stateOf()
    return messages === 0 ? 0 : (Date.now() - Date.parse(first_ts)) / 1000
  })
}
