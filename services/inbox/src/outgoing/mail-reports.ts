import { count, gauge } from '@family-inbox/service-kit/observability/metrics'
import type { Context } from '../context.ts'
import type { MailReport } from '../mail/mail-report.ts'
import type { Delivery } from '../models/delivery.ts'
import { stopRecipient } from './stopped-mail.ts'

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
