import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { earliest } from '@family-inbox/service-kit/mongo/rows'
import { NatsError } from '@family-inbox/service-kit/nats/client'
import { detectStreamLoss } from '@family-inbox/service-kit/nats/detect-stream-loss'
import { MAIL_STREAM } from '@family-inbox/workspace-kit/outgoing-mail'
import type { Context } from '../context.ts'
import type { Delivery } from '../models/delivery.ts'
import { mailsSent } from './send-once.ts'

const CHECK_AGAIN_MS = 5 * 60_000
const MAX_BATCH = 200

/** A mail that the queue lost may or may not have been sent before a restore. It becomes `unknown` and is not sent again. */
export function markLostMail(ctx: Context): AsyncDisposable {
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    dueAt: () => earliest(ctx.deliveries, 'checkAfter', { state: 'queued' }),
    sweep: () => checkSome(ctx),
    wake: ctx.wake.lostMail,
    failureMessage: 'queued mail cannot be checked yet',
    logger: ctx.logger,
  })
}

/** After a loss all queued mail is checked immediately. */
export function watchMailStream(ctx: Context): AsyncDisposable {
  const onLoss = async () => {
    const waiting = { state: 'queued', checkAfter: { $exists: true } } as const
    await ctx.deliveries.updateMany(waiting, { $set: { checkAfter: new Date() } })
    ctx.wake.lostMail()
  }
  const { connection } = ctx.mailQueue
  return detectStreamLoss({ connection, stream: MAIL_STREAM, database: ctx.connection, onLoss, logger: ctx.logger })
}

async function checkSome(ctx: Context): Promise<boolean> {
  const due = await ctx.deliveries
    .find({ checkAfter: { $lte: new Date() }, state: 'queued' }, { seq: 1 })
    .sort({ checkAfter: 1 })
    .limit(MAX_BATCH)
    .lean<Pick<Delivery, '_id' | 'seq'>[]>()
  for (const { _id, seq } of due) {
    if (await isInQueue(ctx, _id, seq ?? 0)) {
      const checkAfter = new Date(Date.now() + CHECK_AGAIN_MS)
      await ctx.deliveries.updateOne({ _id, state: 'queued' }, { $set: { checkAfter } })
    } else await markUnknown(ctx, _id)
  }
  return due.length === MAX_BATCH
}

const NOT_FOUND = 10_037

/** A queue that lost its end reuses its sequence numbers. */
async function isInQueue({ mailQueue }: Context, id: string, seq: number): Promise<boolean> {
  const { streams } = await (await mailQueue.connection).jetstreamManager({ timeout: 1500 })
  try {
    const { header } = await streams.getMessage(MAIL_STREAM, { seq })
    return header.get('Nats-Msg-Id') === id
  } catch (error) {
    if (error instanceof NatsError && error.jsError()?.err_code === NOT_FOUND) return false
    throw error
  }
}

/** Leaves a delivery alone that is being sent or is finished. */
async function markUnknown(ctx: Context, _id: string): Promise<void> {
  const changedAt = new Date()
  const { modifiedCount } = await ctx.deliveries.updateOne(
    { _id, state: 'queued' },
    { $set: { state: 'unknown', changedAt }, $unset: { checkAfter: 1 } },
  )
  if (modifiedCount === 0) return
  mailsSent.inc({ state: 'unknown' })
  ctx.logger.error({ mail: _id }, 'the queue lost a mail; it may or may not have been sent, and is not sent again')
}
