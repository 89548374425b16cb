import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { earliest, earliestOf } from '@family-inbox/service-kit/mongo/rows'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import type { Context } from '../context.ts'
import { morningOf } from '../conversations/reminder-rule.ts'
import type { ConversationStatus } from '../models/conversation-status.ts'
import { publicIdOf } from '../models/message.ts'
import type { Note } from '../models/note.ts'
import { notificationSettingId } from '../models/notification-setting.ts'
import { type Reminder, reminderNoticeId } from '../models/reminder.ts'
import { addNotice } from './notices.ts'

const BATCH = 20

/** Notifies the member who was given a conversation. Its row remembers that until it is done. */
export async function notifyHandedOver(ctx: Context, status: ConversationStatus): Promise<void> {
  const { _id, workspaceId, lovedOneId, handedOver } = status
  if (handedOver === undefined) return
  const { noticeId: id, personId, byName, messageId } = handedOver
  const member = { workspaceId, personId }
  await addNotice(ctx, member, { id, kind: 'handed_over', lovedOneId, messageId, byName })
  await ctx.conversationStatuses.updateOne({ _id, 'handedOver.noticeId': id }, { $unset: { handedOver: 1 } })
}

export async function notifyNamed(ctx: Context, note: Note): Promise<void> {
  const { _id, workspaceId, lovedOneId, messageRowId, name: byName, toNotify = [] } = note
  if (toNotify.length === 0) return
  const messageId = publicIdOf({ _id: messageRowId })
  for (const personId of toNotify)
    await addNotice(
      ctx,
      { workspaceId, personId },
      { id: `named/${_id}`, kind: 'named', lovedOneId, messageId, byName },
    )
  await ctx.notes.updateOne({ _id }, { $unset: { toNotify: 1 } })
}

/** Puts a reminder into the lists of all who can act, each for their own morning. */
async function queueReminder(ctx: Context, reminder: Reminder): Promise<void> {
  const { _id, workspaceId, lovedOneId, messageRowId, name: byName, day, createdAt } = reminder
  const asked = { workspaceId, personIds: [], emails: [], owner: false, everyone: true }
  const { recipients } = await ctx.careCircle.listMailRecipients(asked)
  const messageId = publicIdOf({ _id: messageRowId })
  for (const { personId, role } of recipients) {
    if (role === Role.VIEWER) continue
    const setting = await ctx.notificationSettings
      .findById(notificationSettingId(workspaceId, personId), { timeZone: 1 })
      .lean()
    const dueAt = morningOf(day, setting?.timeZone || reminder.timeZone)
    const id = reminderNoticeId(reminder)
    const notice = { id, kind: 'reminder' as const, lovedOneId, messageId, byName, dueAt }
    await addNotice(ctx, { workspaceId, personId }, notice)
  }
  // Keeps the date of a reminder that was set again in the meantime.
  await ctx.reminders.updateOne({ _id, createdAt }, { $unset: { dueAt: 1 } })
}

const IS_GIVEN = { 'handedOver.noticeId': { $exists: true } }
const IS_NAMING = { toNotify: { $exists: true } }

/** When the next notice is due. Whatever is not queued yet is due now. */
export function nextNotice({
  noticeLists,
  reminders,
  conversationStatuses,
  notes,
}: Context): Promise<Date | undefined> {
  const isLeft = (left: Promise<unknown>) => left.then((row) => (row === null ? undefined : new Date(0)))
  return earliestOf([
    earliest(noticeLists, 'dueAt'),
    earliest(reminders, 'dueAt'),
    isLeft(conversationStatuses.exists(IS_GIVEN).exec()),
    isLeft(notes.exists(IS_NAMING).exec()),
  ])
}

/** Reminders that are due, and what a crash left. Safe to repeat: a notice is added once. */
export async function queueNotices(ctx: Context): Promise<void> {
  const isDue = { dueAt: { $lte: new Date() } }
  await forEachRow(ctx, await ctx.reminders.find(isDue).limit(BATCH).lean(), queueReminder)
  await forEachRow(ctx, await ctx.conversationStatuses.find(IS_GIVEN).limit(BATCH).lean(), notifyHandedOver)
  await forEachRow(ctx, await ctx.notes.find(IS_NAMING).limit(BATCH).lean(), notifyNamed)
}

/** A row that fails stays for the next sweep and does not stop the others. */
async function forEachRow<Row>(ctx: Context, rows: Row[], notify: (ctx: Context, row: Row) => Promise<void>) {
  for (const row of rows)
    try {
      await notify(ctx, row)
    } catch (error) {
      ctx.logger.warn(describeError(error), 'a notice could not be added; retrying')
    }
}
