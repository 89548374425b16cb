import { OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { consumeStream, keepInProgress, redeliverAfter } from '@family-inbox/service-kit/nats/consume-stream'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { ensureMailStream, MAIL_STREAM, MAIL_SUBJECTS, mailSubject } from '@family-inbox/workspace-kit/outgoing-mail'
import type { JsMsg } from 'nats'
import type { Context } from '../context.ts'
import { sendOnce } from './send-once.ts'

const CONSUMER = 'inbox-sender'
const ACK_WAIT_MS = 15_000
const SIGN_OF_LIFE_MS = 4000
const BATCH_SIZE = 8
const TROUBLE_MS = 2000

/** Sends queued mail. A mail leaves the queue when it is done; otherwise it returns after the delay from `sendOnce`. */
export function sendQueue(ctx: Context): AsyncDisposable {
  return consumeStream({
    connection: ctx.mailQueue.connection,
    stream: MAIL_STREAM,
    ensure: (nats) => ensureMailStream(nats, ctx.config.natsReplicas),
    consumer: CONSUMER,
    rules: { filter_subject: MAIL_SUBJECTS, max_ack_pending: 1000 },
    ackWaitMs: ACK_WAIT_MS,
    consume: { max_messages: BATCH_SIZE },
    concurrency: BATCH_SIZE,
    handle: (message) => handle(ctx, message),
    failureMessage: 'the mail queue could not be read; retrying',
    retryMs: TROUBLE_MS,
    logger: ctx.logger,
  })
}

async function handle(ctx: Context, message: JsMsg): Promise<void> {
  // A slow mail server may exceed the queue's ack timeout.
  using _ = keepInProgress(message, SIGN_OF_LIFE_MS)
  try {
    const mail = OutgoingMail.decode(message.data)
    if (message.subject !== mailSubject(mail)) return dropMisfiled(ctx, message)
    const { retryAfterMs } = await sendOnce(ctx, mail, new Date(message.info.timestampNanos / 1e6))
    if (retryAfterMs === undefined) await message.ackAck()
    else redeliverAfter(message, retryAfterMs)
  } catch (error) {
    ctx.logger.error(describeError(error), 'a queued mail could not be processed; retrying')
    redeliverAfter(message, TROUBLE_MS)
  }
}

/** Only the subject proves who sent a mail: a service that may send sign-in codes must not send replies. */
function dropMisfiled({ logger }: Context, message: JsMsg): void {
  logger.error({ subject: message.subject }, 'a queued mail of another kind than its subject allows was dropped')
  message.term()
}
