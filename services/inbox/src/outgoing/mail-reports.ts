import { count, gauge } from '@family-inbox/service-kit/observability/metrics'
import type { Context } from '../context.ts'
import type { MailReport } from '../mail/mail-report.ts'
import type { Delivery } from '../models/delivery.ts'
import { stopRecipient } from './stopped-mail.ts'

const reports = count({
  name: 'mail_reports_total',
  help: 'Bounces of and complaints about our mail, each of which stops a recipient for the workspace that wrote to them.',
  labels: ['kind'],
})

/** Shows how many workspaces and recipients get no outgoing mail at the moment. */
export function watchStoppedMail({ stoppedRecipients, stoppedWorkspaces }: Context): void {
  gauge('stopped_recipients', 'Addresses that a workspace sends no more mail to, after a bounce or a complaint.', () =>
    stoppedRecipients.estimatedDocumentCount(),
  )
  gauge('stopped_workspaces', 'Workspaces whose replies and invitations the operator has stopped.', () =>
    stoppedWorkspaces.estimatedDocumentCount(),
  )
}

/** Notes that a server refused a mail for its recipient, for good. */
export async function recordBounce(ctx: Context, delivery: Delivery): Promise<void> {
  await stop(ctx, delivery, 'bounce')
}

/**
 * Notes what a mail that came in reports about one of ours. Anyone can write such a report, so it counts only with the
 * Message-ID of a mail we sent, which its recipient alone knows, and only for that recipient and the workspace that wrote.
 */
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
  ctx.logger.info({ workspaceId, kind }, 'a recipient is stopped')
}
