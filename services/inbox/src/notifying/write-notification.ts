import { type LovedOne, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { nameInMail, toMailName } from '@family-inbox/workspace-kit/mail-name'
import { deriveMailId, fromService } from '@family-inbox/workspace-kit/outgoing-mail'
import { waitingProposals } from '@family-inbox/workspace-kit/proposals'
import type { Context } from '../context.ts'
import type { NotificationSetting } from '../models/notification-setting.ts'
import { type AnswerOffer, FOR_PRIVACY, offerAnswer } from './offer-answer.ts'

const list = new Intl.ListFormat('en-US', { type: 'conjunction' })

export type DueSetting = NotificationSetting & { pendingUpTo: Date }

/** The id derives from the setting and its end, so a retry sends nothing twice. `no member`: the person has left. */
export async function writeNotification(ctx: Context, setting: DueSetting): Promise<boolean | 'no member'> {
  const { workspaceId, personId } = setting
  const answer = await ctx.careCircle.listMailRecipients({
    workspaceId,
    personIds: [personId],
    emails: [],
    owner: false,
    proposals: true,
  })
  const [recipient] = answer.recipients
  // A person who left and came back has to opt in again.
  if (recipient === undefined || (recipient.joinedAt ?? new Date(0)) > setting.changedAt) return 'no member'
  const [lovedOnes, waiting] = await Promise.all([
    countNew(ctx, setting, answer.lovedOnes),
    recipient.role === Role.VIEWER ? 0 : countWaiting(ctx, setting, answer.proposedAt),
  ])
  if (lovedOnes.length === 0 && waiting === 0) return false
  const id = deriveMailId('new-mail', [setting._id, setting.pendingUpTo.toISOString()])
  const family = toMailName(answer.workspaceName) || 'your family'
  const messageRowIds = waiting === 0 ? lovedOnes.flatMap(({ rowIds }) => rowIds) : []
  const offer = await offerAnswer(ctx, { setting, role: recipient.role, family, mailId: id, messageRowIds })
  const { inboxUrl } = ctx.config
  await ctx.mailQueue.send(newMailNotification({ id, setting, recipient, family, lovedOnes, waiting, offer, inboxUrl }))
  return true
}

/** Counts assistants’ proposals that wait for a member who may send them. */
async function countWaiting(ctx: Context, setting: DueSetting, invitations: Date[]): Promise<number> {
  const { workspaceId, notifiedUpTo, pendingUpTo } = setting
  const createdAt = { $gt: notifiedUpTo, $lte: pendingUpTo }
  const replies = await ctx.replyProposals.countDocuments({ workspaceId, ...waitingProposals(), createdAt })
  return replies + invitations.filter((at) => at > notifiedUpTo && at <= pendingUpTo).length
}

async function countNew(ctx: Context, setting: DueSetting, lovedOnes: LovedOne[]) {
  const { workspaceId, notifiedUpTo, pendingUpTo } = setting
  const rows = await ctx.messages.aggregate<{ _id: string; count: number; rowIds: string[] }>([
    {
      $match: {
        workspaceId,
        lovedOneId: { $in: lovedOnes.map(({ id }) => id) },
        receivedAt: { $gt: notifiedUpTo, $lte: pendingUpTo },
        ...notifiable(ctx.config.senderAddress),
      },
    },
    { $group: { _id: '$lovedOneId', count: { $sum: 1 }, rowIds: { $firstN: { input: '$_id', n: 2 } } } },
  ])
  const known = new Map(rows.map((row) => [row._id, row]))
  return lovedOnes.flatMap(({ id, name }) => {
    const { count = 0, rowIds = [] } = known.get(id) ?? {}
    return count === 0 ? [] : [{ name, count, rowIds }]
  })
}

type NewMailSummary = {
  id: string
  setting: Pick<NotificationSetting, 'workspaceId' | 'mode' | 'unsubscribeToken'>
  recipient: { name: string; email: string }
  family: string
  lovedOnes: { name: string; count: number }[]
  /** The number of proposals that the recipient may send. */
  waiting: number
  offer: AnswerOffer
  inboxUrl: string
}

/** Names and counts only: anyone who sees the mail could read more. */
function newMailNotification({
  id,
  setting,
  recipient,
  family,
  lovedOnes,
  waiting,
  offer,
  inboxUrl,
}: NewMailSummary): OutgoingMail {
  const total = lovedOnes.reduce((sum, { count }) => sum + count, 0)
  const names = list.format(lovedOnes.map(({ name }) => nameInMail(name)))
  const isDigest = setting.mode === 'digest'
  const each = lovedOnes.map(({ name, count }) => `${nameInMail(name)}: ${messages(count)}`)
  return {
    id,
    kind: MailKind.NEW_MAIL,
    workspaceId: setting.workspaceId,
    ...fromService(recipient),
    replyTo: offer.replyTo,
    subject: total === 0 ? waitingWords(waiting) : `${messages(total)} for ${names}`,
    text: [
      ...(total === 0
        ? []
        : [isDigest ? 'New mail since your last daily summary:' : 'You have new mail:', each.join('\n')]),
      ...(waiting === 0 ? [] : [`${waitingWords(waiting)}: ${inboxUrl}/approvals`]),
      ...(total === 0 ? [] : [offer.line]),
      FOR_PRIVACY,
      `You turned on notifications for ${family}. Change or turn them off: ${inboxUrl}/settings/notifications`,
    ].join('\n\n'),
    ...(total === 0
      ? { actionLabel: 'Review drafts', actionUrl: `${inboxUrl}/approvals` }
      : { actionLabel: 'Open inbox', actionUrl: `${inboxUrl}/` }),
    unsubscribeUrl: `${inboxUrl}/unsubscribe/${setting.unsubscribeToken}`,
  }
}

function waitingWords(count: number): string {
  return count === 1
    ? 'Something an assistant wrote is waiting for approval'
    : `${count} things assistants wrote are waiting for approval`
}

function messages(count: number): string {
  return count === 1 ? '1 new message' : `${count} new messages`
}

/** Excludes what the family wrote, automated mail (RFC 5436 section 2.7.1), and our own: a forwarded notification would cause another. */
function notifiable(senderAddress: string) {
  const notOurs = { $ne: senderAddress.toLowerCase() }
  return {
    ownReplyId: null,
    autoSubmitted: { $in: [null, 'no'] },
    'from.address': notOurs,
    'originalSender.address': notOurs,
  }
}
