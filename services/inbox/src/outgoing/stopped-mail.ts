import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { count, gauge } from '@family-inbox/service-kit/observability/metrics'
import type { Context } from '../context.ts'
import type { MailReport } from '../mail/mail-report.ts'
import type { Delivery } from '../models/delivery.ts'
import { hashRecipient, type StoppedRecipient, stoppedRecipientId } from '../models/stopped-recipient.ts'
import { messageIdOf } from './compose.ts'

const BOUNCES_KEPT_MS = 30 * 24 * 60 * 60 * 1000

const STOPPABLE: MailKind[] = [MailKind.REPLY, MailKind.INVITATION, MailKind.NEW_MAIL, MailKind.APPOINTMENT]
/** Notifications tell members about their own family. */
const ABOUT_THE_FAMILY: MailKind[] = [MailKind.NEW_MAIL, MailKind.APPOINTMENT]

export type Stop = 'workspace' | StoppedRecipient['reason']

export async function findStop(ctx: Context, workspaceId: string, address: string): Promise<Stop | undefined> {
  const [workspace, recipient] = await Promise.all([
    ctx.stoppedWorkspaces.exists({ _id: workspaceId }),
    ctx.stoppedRecipients.findById(stoppedRecipientId(workspaceId, hashRecipient(address))).lean(),
  ])
  return workspace === null ? recipient?.reason : 'workspace'
}

/** A stopped workspace still gets notifications; a stopped recipient does not. */
export async function isStopped(ctx: Context, { kind, workspaceId, toAddress }: OutgoingMail): Promise<boolean> {
  if (!mayBeStopped(kind, workspaceId)) return false
  const stop = await findStop(ctx, workspaceId, toAddress)
  return stop !== undefined && !(stop === 'workspace' && ABOUT_THE_FAMILY.includes(kind))
}

/** Fields that match a report to its mail; none for mail that cannot stop a recipient, such as sign-in codes. */
export function reportFields({ config }: Context, { id, kind, workspaceId, toAddress }: OutgoingMail) {
  if (!mayBeStopped(kind, workspaceId)) return {}
  return { messageIdHeader: messageIdOf(id, config.mailDomain), recipientHash: hashRecipient(toAddress) }
}

async function stopRecipient(
  ctx: Context,
  { workspaceId, recipientHash }: { workspaceId: string; recipientHash: string },
  reason: StoppedRecipient['reason'],
): Promise<void> {
  const _id = stoppedRecipientId(workspaceId, recipientHash)
  const now = Date.now()
  const stopped = { workspaceId, reason, stoppedAt: new Date(now) }
  if (reason === 'complaint')
    await ctx.stoppedRecipients.updateOne({ _id }, { $set: stopped, $unset: { expiresAt: 1 } }, { upsert: true })
  else
    await ctx.stoppedRecipients.updateOne(
      { _id },
      { $setOnInsert: { ...stopped, expiresAt: new Date(now + BOUNCES_KEPT_MS) } },
      { upsert: true },
    )
}

function mayBeStopped(kind: MailKind, workspaceId: string): boolean {
  return workspaceId !== '' && STOPPABLE.includes(kind)
}

const reports = count({
  name: 'mail_reports_total',
  help: 'Bounces and complaints about our mail; each stops a recipient for one workspace.',
  labels: ['kind'],
})

export function watchStoppedMail({ stoppedRecipients, stoppedWorkspaces }: Context): void {
  gauge('stopped_recipients', 'Addresses that a workspace may not mail after a bounce or complaint.', () =>
    stoppedRecipients.estimatedDocumentCount(),
  )
  gauge('stopped_workspaces', 'Workspaces whose replies and invitations the operator has stopped.', () =>
    stoppedWorkspaces.estimatedDocumentCount(),
  )
}

export async function recordBounce(ctx: Context, delivery: Delivery): Promise<void> {
  await stop(ctx, delivery, 'bounce')
}

/** Anyone can send a report, so it must carry the Message-ID of our mail, and stops only that recipient. */
export async function recordReport(ctx: Context, { kind, messageIds }: MailReport): Promise<void> {
  const delivery = await ctx.deliveries.findOne({ messageIdHeader: { $in: messageIds } }).lean()
  if (delivery === null) return
  await stop(ctx, delivery, kind)
  if (kind === 'complaint') return
  const changedAt = new Date()
  await ctx.deliveries.updateOne({ _id: delivery._id, state: 'sent' }, { $set: { state: 'failed', changedAt } })
}

async function stop(ctx: Context, { workspaceId, recipientHash }: Delivery, kind: MailReport['kind']): Promise<void> {
  if (recipientHash === undefined) return
  await stopRecipient(ctx, { workspaceId, recipientHash }, kind)
  reports.inc({ kind })
  ctx.logger.info({ workspaceId, kind }, 'mail to a recipient was stopped')
}
