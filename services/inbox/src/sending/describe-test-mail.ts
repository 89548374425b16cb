import type { TestMail } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import type { TestMail as TestMailRow } from '../models/test-mail.ts'
import { findDeliveries } from './find-deliveries.ts'

/** A test mail as members see it: whether it was sent, and when it arrived. */
export async function describeTestMail(ctx: Context, row: TestMailRow): Promise<TestMail> {
  const { _id, workspaceId, lovedOneId, messageIdHeader, createdAt } = row
  const mail = { _id, queuedAt: createdAt }
  const [deliveryOf, arrived] = await Promise.all([
    findDeliveries(ctx, [mail]),
    ctx.messages
      .findOne({ workspaceId, lovedOneId, receivedAt: { $gte: createdAt }, messageIdHeader }, { receivedAt: 1 })
      .lean(),
  ])
  return { id: _id, sentAt: createdAt, delivery: deliveryOf(mail), arrivedAt: arrived?.receivedAt }
}
