import type { MailReport } from '@family-inbox/mail-reader/mime/mail-report'
import { StopReason as WireReason, type StoppedRecipient as WireStop } from '@family-inbox/proto/inbox/v1/inbox'
import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { count, gauge } from '@family-inbox/service-kit/observability/metrics'
import type { Context } from '../context.ts'
import type { Delivery } from '../models/delivery.ts'
import {
  hashRecipient,
  STOPPED_MS,
  type StoppedRecipient,
  type StopReason,
  stoppedRecipientId,
} from '../models/stopped-recipient.ts'

const STOPPABLE: MailKind[] = [MailKind.REPLY, MailKind.INVITATION, MailKind.NEW_MAIL, MailKind.APPOINTMENT]
/** Notifications tell members about their own family. */
const ABOUT_THE_FAMILY: MailKind[] = [MailKind.NEW_MAIL, MailKind.APPOINTMENT]

/** Without an end: the operator's, of a whole workspace. */
export type Stop = { reason: StopReason; stoppedAt: Date; expiresAt: Date } | { reason: 'workspace' }

export async function findStop(ctx: Context, workspaceId: string, address: string): Promise<Stop | undefined> {
  const [workspace, [recipient]] = await Promise.all([
    ctx.stoppedWorkspaces.exists({ _id: workspaceId }),
    findStoppedRecipients(ctx, workspaceId, [address]),
  ])
  return workspace === null ? recipient : { reason: 'workspace' }
}

/** Those of the addresses that the workspace may not mail now. */
export async function findStoppedRecipients(
  ctx: Context,
  workspaceId: string,
  addresses: string[],
): Promise<(StoppedRecipient & { address: string })[]> {
  const addressOf = new Map(
    addresses.map((address) => [stoppedRecipientId(workspaceId, hashRecipient(address)), address]),
  )
  const stopped = { _id: { $in: [...addressOf.keys()] }, expiresAt: { $gt: new Date() } }
  const rows = await ctx.stoppedRecipients.find(stopped).lean()
  return rows.map((row) => ({ ...row, address: addressOf.get(row._id) ?? '' }))
}

const WIRE: Record<StoppedRecipient['reason'], WireReason> = {
  bounce: WireReason.BOUNCE,
  complaint: WireReason.COMPLAINT,
}

export function toWireStop({ reason, ...stop }: StoppedRecipient & { address: string }): WireStop {
  return { ...stop, reason: WIRE[reason] }
}

/** A stopped workspace still gets notifications; a stopped recipient does not. */
export async function isStopped(ctx: Context, { kind, workspaceId, toAddress }: OutgoingMail): Promise<boolean> {
  if (!mayBeStopped(kind, workspaceId)) return false
  const stop = await findStop(ctx, workspaceId, toAddress)
  return stop !== undefined && !(stop.reason === 'workspace' && ABOUT_THE_FAMILY.includes(kind))
}

/** The recipient whom a report about this mail stops; nobody for mail such as sign-in codes. */
export function stoppableRecipient({ kind, workspaceId, toAddress }: OutgoingMail): Pick<Delivery, 'recipientHash'> {
  return mayBeStopped(kind, workspaceId) ? { recipientHash: hashRecipient(toAddress) } : {}
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

/** Records what a report says about one mail. The caller knows that it comes from its recipient or a server on its way. */
export async function recordReport(ctx: Context, delivery: Delivery, kind: MailReport['kind']): Promise<void> {
  await stop(ctx, delivery, kind)
  if (kind === 'bounce') await markReturned(ctx, delivery)
}

/** The family sees that it did not arrive. */
export async function markReturned({ deliveries }: Context, { _id }: Delivery): Promise<void> {
  await deliveries.updateOne({ _id, state: 'sent' }, { $set: { state: 'failed', changedAt: new Date() } })
}

async function stop(ctx: Context, { workspaceId, recipientHash }: Delivery, reason: StopReason): Promise<void> {
  if (recipientHash === undefined) return
  const _id = stoppedRecipientId(workspaceId, recipientHash)
  const stoppedAt = new Date()
  const stopped = { workspaceId, reason, stoppedAt, expiresAt: new Date(stoppedAt.getTime() + STOPPED_MS[reason]) }
  // A bounce is no reason to forget a complaint.
  const replaced = reason === 'complaint' ? {} : { $or: [{ reason }, { expiresAt: { $lte: stoppedAt } }] }
  try {
    await ctx.stoppedRecipients.updateOne({ _id, ...replaced }, { $set: stopped }, { upsert: true })
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
  }
  reports.inc({ kind: reason })
  ctx.logger.info({ workspaceId, kind: reason }, 'mail to a recipient was stopped')
}
