import type { LovedOne, MailRecipient } from '@family-inbox/proto/carecircle/v1/care_circle'
import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { nameInMail, toMailName } from '@family-inbox/workspace-kit/mail-name'
import { deriveMailId, fromService } from '@family-inbox/workspace-kit/outgoing-mail'
import type { Context } from '../context.ts'
import { stillWanted } from '../conversations/end-reminders.ts'
import { findAssignable } from '../conversations/find-assignable.ts'
import { conversationOf, messageRowId } from '../models/message.ts'
import type { Notice } from '../models/notice-list.ts'
import { type NotificationSetting, newUnsubscribeToken, notificationSettingId } from '../models/notification-setting.ts'
import { reminderNoticeId } from '../models/reminder.ts'
import type { DueList } from './notices.ts'

/** Its id derives from the notices in it, so a retry sends nothing twice. `no member`: the person has left. */
export async function writeNotice(ctx: Context, list: DueList): Promise<boolean | 'no member'> {
  const { workspaceId, personId } = list
  const answer = await ctx.careCircle.listMailRecipients({
    workspaceId,
    personIds: [personId],
    emails: [],
    owner: false,
  })
  const [recipient] = answer.recipients
  if (recipient === undefined) return 'no member'
  const setting = await findSetting(ctx, workspaceId, personId)
  if (setting.mode === 'none') return false
  const lines = await findLines(ctx, list, recipient, answer.lovedOnes)
  if (lines.length === 0) return false
  await ctx.mailQueue.send(noticeMail(ctx.config.inboxUrl, list, recipient, setting, answer.workspaceName, lines))
  return true
}

/** A member who never chose gets what is meant for them. The row holds the token of the unsubscribe link. */
async function findSetting(ctx: Context, workspaceId: string, personId: string): Promise<NotificationSetting> {
  const now = new Date()
  const unsubscribeToken = newUnsubscribeToken()
  const unchosen = {
    workspaceId,
    personId,
    mode: 'personal',
    timeZone: '',
    unsubscribeToken,
    changedAt: now,
    notifiedUpTo: now,
  }
  return ctx.notificationSettings
    .findOneAndUpdate(
      { _id: notificationSettingId(workspaceId, personId) },
      { $setOnInsert: unchosen },
      { upsert: true, returnDocument: 'after' },
    )
    .lean<NotificationSetting>()
    .orFail()
}

type Line = { text: string; path: string }

async function findLines(
  ctx: Context,
  list: DueList,
  { joinedAt }: MailRecipient,
  lovedOnes: LovedOne[],
): Promise<Line[]> {
  const nameOf = new Map(lovedOnes.map(({ id, name }) => [id, name]))
  const lines: Line[] = []
  for (const notice of list.notices) {
    const about = nameOf.get(notice.lovedOneId)
    const isOld = joinedAt !== undefined && joinedAt > notice.addedAt
    if (!list.pending.includes(notice.id) || about === undefined || isOld) continue
    if (!(await isWanted(ctx, list, notice))) continue
    lines.push({
      text: WORDS[notice.kind](toMailName(notice.byName) || 'Someone', nameInMail(about)),
      path: `/inbox/${notice.lovedOneId}/${notice.messageId}`,
    })
  }
  return lines
}

/** Names only: anyone who sees the mail could read more. */
const WORDS: Record<Notice['kind'], (byName: string, about: string) => string> = {
  handed_over: (byName, about) => `${byName} handed you a message about ${about}`,
  named: (byName, about) => `${byName} mentioned you in a note about ${about}`,
  reminder: (byName, about) => `Reminder about a message for ${about}, set by ${byName}`,
}

/** False, too, when its holder has left or can only read now: everyone is reminded then. */
async function isTakenCareOf(ctx: Context, workspaceId: string, assigneeId: string | undefined): Promise<boolean> {
  return assigneeId !== undefined && (await findAssignable(ctx, workspaceId, assigneeId)) !== undefined
}

/** Whether it still holds: the message, the note and the reminder exist, and the conversation is still theirs. */
async function isWanted(ctx: Context, { workspaceId, personId }: DueList, notice: Notice): Promise<boolean> {
  const { kind, lovedOneId, messageId } = notice
  const message = await ctx.messages
    .findById(messageRowId({ workspaceId, lovedOneId }, messageId), { conversationId: 1 })
    .lean()
  if (message === null) return false
  const [, id = ''] = notice.id.split('/')
  if (kind === 'named') return (await ctx.notes.exists({ _id: id })) !== null
  const status = await ctx.conversationStatuses
    .findById(messageRowId({ workspaceId, lovedOneId }, conversationOf(message)), { assigneeId: 1 })
    .lean()
  if (kind === 'handed_over') return status?.assigneeId === personId
  const reminder = await ctx.reminders.findById(id).lean()
  // A reminder that was set again has a notice of its own.
  if (reminder === null || reminderNoticeId(reminder) !== notice.id) return false
  const holders = [status?.assigneeId, reminder.personId]
  const isTheirs = holders.includes(personId) || !(await isTakenCareOf(ctx, workspaceId, status?.assigneeId))
  return isTheirs && (await stillWanted(ctx, [reminder])).length > 0
}

function noticeMail(
  inboxUrl: string,
  { _id, workspaceId, pending }: DueList,
  recipient: MailRecipient,
  setting: NotificationSetting,
  workspaceName: string,
  lines: Line[],
): OutgoingMail {
  const [only] = lines.length === 1 ? lines : []
  const family = toMailName(workspaceName) || 'your family'
  return {
    id: deriveMailId('notice', [_id, ...pending]),
    kind: MailKind.NEW_MAIL,
    workspaceId,
    ...fromService(recipient),
    subject: only?.text ?? `${lines.length} things for you in ${family}`,
    text: [
      ...(only ? [`${only.text}.`] : lines.map(({ text, path }) => `${text}:\n${inboxUrl}${path}`)),
      'For privacy, this email doesn’t include what was written.',
      `You’re getting this because someone in ${family} wants you to see it. Change or turn it off: ${inboxUrl}/settings/notifications`,
    ].join('\n\n'),
    actionLabel: only ? 'Open message' : 'Open inbox',
    actionUrl: `${inboxUrl}${only?.path ?? '/'}`,
    unsubscribeUrl: `${inboxUrl}/unsubscribe/${setting.unsubscribeToken}`,
  }
}
