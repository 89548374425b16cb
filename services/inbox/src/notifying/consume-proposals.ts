import type { JsMsg } from '@family-inbox/service-kit/nats/client'
import { consumeStream, eraseAndAck, redeliverAfter } from '@family-inbox/service-kit/nats/consume-stream'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { ensureProposalStream, PROPOSAL_CONSUMER, PROPOSAL_STREAM } from '@family-inbox/workspace-kit/proposal-notices'
import type { Context } from '../context.ts'
import { scheduleNotifications } from '../models/notification-setting.ts'

const CONCURRENCY = 4
const ACK_WAIT_MS = 8000
const RETRY_MS = 500
const FAILURE = 'could not schedule notifications of an invitation that waits for approval; will retry'

/** Lets the next notification of a family say that an invitation waits for a member. */
export function consumeProposals(ctx: Context): AsyncDisposable {
  return consumeStream({
    connection: ctx.mailQueue.connection,
    stream: PROPOSAL_STREAM,
    ensure: (nats) => ensureProposalStream(nats, ctx.config.natsReplicas),
    consumer: PROPOSAL_CONSUMER,
    rules: {},
    ackWaitMs: ACK_WAIT_MS,
    concurrency: CONCURRENCY,
    handle: (message) => handle(ctx, message),
    failureMessage: FAILURE,
    retryMs: RETRY_MS,
    logger: ctx.logger,
  })
}

async function handle(ctx: Context, message: JsMsg): Promise<void> {
  try {
    const workspaceId = new TextDecoder().decode(message.data)
    await scheduleNotifications(ctx.notificationSettings, [workspaceId], ctx.config.notificationDelayMs)
    ctx.wake.notifications()
    await eraseAndAck({ connection: ctx.mailQueue.connection, logger: ctx.logger }, message)
  } catch (error) {
    ctx.logger.warn(describeError(error), FAILURE)
    redeliverAfter(message, RETRY_MS)
  }
}
