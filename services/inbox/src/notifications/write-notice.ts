import type { LovedOne } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Context } from '../context.ts'
import type { NotificationSetting } from '../models/notification-setting.ts'
import { newMailNotice } from './new-mail-notice.ts'
import { worthANotice } from './worth-a-notice.ts'

/** A setting whose notice is being written. */
export type DueSetting = NotificationSetting & { noticeUpTo: Date }

/**
 * Queues the notice that is due, if there is anything to tell. It follows from the setting and its end alone: whoever writes
 * it again, after a crash, writes the same mail, which is sent once.
 * @returns whether there was one; `no member` when the person has left the household, which ends their notices
 */
export async function writeNotice(ctx: Context, setting: DueSetting): Promise<boolean | 'no member'> {
  const { workspaceId, personId } = setting
  const answer = await ctx.careCircle.listMailRecipients({
    workspaceId,
    personIds: [personId],
    emails: [],
    owner: false,
  })
  const [recipient] = answer.recipients
  // Who left and came back has to ask again.
  if (recipient === undefined || (recipient.joinedAt ?? new Date(0)) > setting.changedAt) return 'no member'
  const lovedOnes = await countNew(ctx, setting, answer.lovedOnes)
  if (lovedOnes.length === 0) return false
  const { config } = ctx
  const householdName = answer.workspaceName
  const upTo = setting.noticeUpTo
  await ctx.mailQueue.send(
    newMailNotice({ setting, upTo, recipient, householdName, lovedOnes, inboxUrl: config.inboxUrl }),
  )
  return true
}

async function countNew(ctx: Context, setting: DueSetting, lovedOnes: LovedOne[]) {
  const { workspaceId, toldUpTo, noticeUpTo } = setting
  const rows = await ctx.messages.aggregate<{ _id: string; count: number }>([
    {
      $match: {
        workspaceId,
        lovedOneId: { $in: lovedOnes.map(({ id }) => id) },
        receivedAt: { $gt: toldUpTo, $lte: noticeUpTo },
        ...worthANotice(ctx.config.senderAddress),
      },
    },
    { $group: { _id: '$lovedOneId', count: { $sum: 1 } } },
  ])
  const countOf = new Map(rows.map(({ _id, count }) => [_id, count]))
  return lovedOnes.flatMap(({ id, name }) => (countOf.has(id) ? [{ name, count: countOf.get(id) ?? 0 }] : []))
}
