import { claimDue } from '@family-inbox/service-kit/mongo/claim-due'
import type { Context } from '../context.ts'
import { MAX_GIVEN, MAX_NOTICES, type Notice, type NoticeList } from '../models/notice-list.ts'
import { type NotificationSetting, notificationSettingId } from '../models/notification-setting.ts'
import { nextMorning } from './next-morning.ts'

/** The rest after a mail, in delays. */
const REST_FACTOR = 5

export type DueList = NoticeList & { pending: string[] }

/** Adds a notice to a member's list. An attempt to add it again changes nothing, even when its mail was sent long ago. */
export async function addNotice(
  ctx: Context,
  { workspaceId, personId }: { workspaceId: string; personId: string },
  notice: Omit<Notice, 'addedAt' | 'dueAt'> & { dueAt?: Date },
): Promise<void> {
  const _id = `${workspaceId}/${personId}`
  const addedAt = new Date()
  const dueAt = notice.dueAt ?? (await soonFor(ctx, workspaceId, personId, addedAt))
  const empty = { workspaceId, personId, notices: [], given: [] }
  await ctx.noticeLists.updateOne({ _id }, { $setOnInsert: empty }, { upsert: true })
  await ctx.noticeLists.collection.updateOne(
    { _id: _id as never, given: { $ne: notice.id }, 'notices.id': { $ne: notice.id } },
    {
      $push: { notices: { $each: [{ ...notice, addedAt, dueAt }], $slice: -MAX_NOTICES } as never },
      $min: { dueAt },
    },
  )
  ctx.wake.notices()
}

async function soonFor(ctx: Context, workspaceId: string, personId: string, now: Date): Promise<Date> {
  const [setting, list] = await Promise.all([
    ctx.notificationSettings.findById(notificationSettingId(workspaceId, personId), { mode: 1, timeZone: 1 }).lean(),
    ctx.noticeLists.findById(`${workspaceId}/${personId}`, { dueAt: 1, lastMailAt: 1 }).lean(),
  ])
  return noticeDueAt(setting ?? undefined, list ?? {}, now, ctx.config.notificationDelayMs)
}

/** A daily summary is due at eight in the morning. Other notices are due soon, together with what is due before. */
export function noticeDueAt(
  setting: Pick<NotificationSetting, 'mode' | 'timeZone'> | undefined,
  list: Pick<NoticeList, 'dueAt' | 'lastMailAt'>,
  now: Date,
  delayMs: number,
): Date {
  if (setting?.mode === 'digest') return nextMorning(now, setting.timeZone)
  const { dueAt, lastMailAt } = list
  const soon = new Date(Math.max(now.getTime() + delayMs, (lastMailAt?.getTime() ?? 0) + REST_FACTOR * delayMs))
  return dueAt !== undefined && dueAt > now && dueAt < soon ? dueAt : soon
}

/** Claims the list that is due longest. What its mail says is fixed at the first claim. */
export async function claimDueList(ctx: Context): Promise<DueList | null> {
  const due = {
    $filter: { input: '$notices', cond: { $lte: ['$$this.dueAt', '$$NOW'] } },
  }
  const pending = { $ifNull: ['$pending', { $map: { input: due, in: '$$this.id' } }] }
  return claimDue<DueList>({ rows: ctx.noticeLists, field: 'dueAt', set: { pending } })
}

/** Does nothing when another process has finished it. */
export async function finishList(ctx: Context, { _id, pending }: DueList, isSent: boolean): Promise<void> {
  const isPending = { $in: ['$$this.id', pending] }
  await ctx.noticeLists.collection.updateOne({ _id: _id as never, pending }, [
    {
      $set: {
        given: { $slice: [{ $concatArrays: ['$given', pending] }, -MAX_GIVEN] },
        notices: { $filter: { input: '$notices', cond: { $not: [isPending] } } },
        ...(isSent && { lastMailAt: '$$NOW' }),
      },
    },
    { $set: { dueAt: { $ifNull: [{ $min: '$notices.dueAt' }, '$$REMOVE'] } } },
    { $unset: 'pending' },
  ])
}
