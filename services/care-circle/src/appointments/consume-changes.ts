import { CalendarChange } from '@family-inbox/proto/calendar/v1/calendar_change'
import type { JsMsg } from '@family-inbox/service-kit/nats/client'
import { consumeStream, eraseAndAck, redeliverAfter } from '@family-inbox/service-kit/nats/consume-stream'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { raceDeadline } from '@family-inbox/service-kit/rpc/deadline'
import {
  CALENDAR_CHANGE_CONSUMER,
  CALENDAR_CHANGE_STREAM,
  CALENDAR_CHANGE_SUBJECTS,
  ensureCalendarChangeStream,
} from '@family-inbox/workspace-kit/calendar-changes'
import type { Context } from '../context.ts'
import { isOutage } from '../timeline/handle-message.ts'
import { storeChange } from './store-change.ts'

const CONCURRENCY = 4
const STORE_MS = 5000
const ACK_WAIT_MS = 8000
const RETRY_MS = 500
const MAX_BACKOFF_MS = 5000
/** The mail still has the event, and its page still shows it. */
const MAX_TRIES = 20

/** Acknowledges a change once its appointments are stored. */
export function consumeCalendarChanges(ctx: Context): AsyncDisposable {
  return consumeStream({
    connection: ctx.calendarStream.connection,
    stream: CALENDAR_CHANGE_STREAM,
    ensure: (nats) => ensureCalendarChangeStream(nats, ctx.config.natsReplicas),
    consumer: CALENDAR_CHANGE_CONSUMER,
    rules: { filter_subject: CALENDAR_CHANGE_SUBJECTS },
    ackWaitMs: ACK_WAIT_MS,
    concurrency: CONCURRENCY,
    handle: (message) => handle(ctx, message),
    failureMessage: 'could not read calendar changes; will retry',
    retryMs: RETRY_MS,
    logger: ctx.logger,
  })
}

async function handle(ctx: Context, message: JsMsg): Promise<void> {
  try {
    const change = CalendarChange.decode(message.data)
    const stored = change.withdrawn ? withdrawMail(ctx, change) : storeChange(ctx, change)
    await raceDeadline(stored, Date.now() + STORE_MS)
    await eraseAndAck({ connection: ctx.calendarStream.connection, logger: ctx.logger }, message)
  } catch (error) {
    const tries = message.info.deliveryCount
    ctx.logger.warn({ tries, ...describeError(error) }, 'could not store appointments; will retry')
    if (tries >= MAX_TRIES && !isOutage(error)) message.term()
    else redeliverAfter(message, Math.min(RETRY_MS * tries, MAX_BACKOFF_MS))
  }
}

/** Forgets a mail that the family moved to Junk, and what it alone is about. What a member plans to go to stays. Idempotent. */
async function withdrawMail({ appointments }: Context, change: CalendarChange): Promise<void> {
  const { workspaceId, lovedOneId, messageId } = change
  const own = { workspaceId, lovedOneId }
  await appointments.deleteMany({
    ...own,
    messageIds: [messageId],
    proof: { $ne: 'member' },
    'going.0': { $exists: false },
  })
  await appointments.updateMany({ ...own, messageIds: messageId }, { $pull: { messageIds: messageId } })
}
