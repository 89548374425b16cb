import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { detectStreamReplacement } from '@family-inbox/service-kit/nats/detect-stream-replacement'
import { MAIL_STREAM } from '@family-inbox/workspace-kit/outgoing-mail'
import { MIN_RETENTION_DAYS } from '../config.ts'
import type { Context } from '../context.ts'
import type { Reply } from '../models/reply.ts'
import { daysAgo } from '../storage/expire-mail.ts'

/** After the mail queue was lost, these replies may or may not have been sent. They are not sent again. */
export function markLostReplies(ctx: Context): AsyncDisposable {
  const { connection } = ctx.mailQueue
  const replace = (madeAt: Date) => markQueuedBefore(ctx, madeAt)
  return detectStreamReplacement({
    connection,
    stream: MAIL_STREAM,
    database: ctx.connection,
    replace,
    logger: ctx.logger,
  })
}

async function markQueuedBefore(ctx: Context, madeAt: Date): Promise<void> {
  const queued = { mailQueuedAt: { $gte: daysAgo(MIN_RETENTION_DAYS), $lt: madeAt } }
  let replies = 0
  for await (const reply of ctx.replies.find(queued, { workspaceId: 1, mailQueuedAt: 1 }).lean<Reply>().cursor())
    if (await markUnknown(ctx, reply)) replies += 1
  if (replies > 0) ctx.logger.error({ replies }, 'the mail queue was lost; these replies may or may not have been sent')
}

/** A record that is sending or finished knows better. */
async function markUnknown(ctx: Context, { _id, workspaceId, mailQueuedAt }: Reply): Promise<boolean> {
  const changedAt = new Date()
  const $setOnInsert = { workspaceId, attempts: 0, createdAt: mailQueuedAt }
  try {
    await ctx.deliveries.updateOne(
      { _id, state: 'queued' },
      { $set: { state: 'unknown', changedAt }, $setOnInsert },
      { upsert: true },
    )
    return true
  } catch (error) {
    if (isDuplicateKey(error)) return false
    throw error
  }
}
