import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { sweepDue } from '@family-inbox/service-kit/mongo/claim-due'
import { nameInMail } from '@family-inbox/workspace-kit/mail-name'
import { deriveMailId, fromService } from '@family-inbox/workspace-kit/outgoing-mail'
import type { Context } from '../context.ts'
import type { CareEvent } from '../models/care-event.ts'
import type { LovedOne } from '../models/loved-one.ts'
import type { Member } from '../models/member.ts'
import { findPurged } from './store-events.ts'
import { isRecent } from './urgent.ts'

/** Another replica then takes over. */
const LEASE_MS = 15_000
/** Between two mails about a loved one. What comes meanwhile is on the timeline, and makes one mail after it. */
const REST_MS = 10 * 60_000

/** Safe on any number of replicas: one claims each event, and a repeated mail has the same id. */
export function startUrgentMailSweeper(ctx: Context): AsyncDisposable {
  const failureMessage = 'could not mail members about an urgent event; will retry'
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    ...sweepDue({ rows: ctx.careEvents, field: 'urgentMail.dueAt', leaseMs: LEASE_MS }, (event: CareEvent) =>
      handle(ctx, event, new Date()),
    ),
    wake: ctx.wake.urgentMail,
    failureMessage,
    logger: ctx.logger,
  })
}

async function handle(ctx: Context, event: CareEvent, now: Date): Promise<void> {
  const { _id, linkId, lovedOneId } = event
  if (!(await isShown(ctx, event))) return endMail(ctx, { linkId, lovedOneId })
  if (!isRecent(event, now)) return endMail(ctx, { _id })
  const lovedOne = await takeTurn(ctx, event, now)
  const last = lovedOne?.urgentMail
  if (!lovedOne || !last) return endMail(ctx, { lovedOneId })
  if (last.eventId === _id) {
    await mailMembers(ctx, event, lovedOne)
    return endMail(ctx, { _id })
  }
  // Whoever got the last mail finds on the timeline what was stored before it.
  await endMail(ctx, { lovedOneId, _id: { $ne: last.eventId }, 'urgentMail.since': { $lte: last.at } })
  const dueAt = new Date(last.at.getTime() + REST_MS)
  const newer = { lovedOneId, 'urgentMail.since': { $gt: last.at }, 'urgentMail.dueAt': { $lt: dueAt } }
  await ctx.careEvents.updateMany(newer, { $set: { 'urgentMail.dueAt': dueAt } })
}

/** Whether the timeline shows the event: sharing may have been turned off, or the link purged, since it was stored. */
async function isShown(ctx: Context, event: CareEvent): Promise<boolean> {
  const { workspaceId, lovedOneId, linkId } = event
  const { links } = await ctx.pipe.listSharedLinks({ workspaceId, lovedOneId })
  const isPurged = await findPurged(ctx, [event])
  return links.some((link) => link.linkId === linkId) && !isPurged(event)
}

async function endMail({ careEvents }: Context, of: Record<string, unknown>): Promise<void> {
  await careEvents.updateMany({ 'urgentMail.since': { $exists: true }, ...of }, { $unset: { urgentMail: 1 } })
}

/** @returns the loved one with the event whose turn it is; null after their workspace was deleted */
async function takeTurn({ lovedOnes }: Context, event: CareEvent, now: Date): Promise<LovedOne | null> {
  const { _id: eventId, lovedOneId: _id, workspaceId } = event
  const isRested = [{ urgentMail: null }, { 'urgentMail.at': { $lte: new Date(now.getTime() - REST_MS) } }]
  const turn = { $set: { urgentMail: { eventId, at: now } } }
  const taken = await lovedOnes
    .findOneAndUpdate({ _id, workspaceId, $or: isRested }, turn, { returnDocument: 'after' })
    .lean()
  return taken ?? lovedOnes.findOne({ _id, workspaceId }).lean()
}

async function mailMembers(ctx: Context, event: CareEvent, { name }: LovedOne): Promise<void> {
  const { workspaceId } = event
  const [members, workspace] = await Promise.all([
    ctx.members.find({ workspaceId }).lean(),
    ctx.workspaces.findById(workspaceId, { sandbox: 1 }).lean(),
  ])
  if (workspace === null || workspace.sandbox) return
  for (const member of members) await ctx.mailQueue.send(composeMail(event, member, name, ctx.config.inboxUrl))
}

/** Says only whom it is about: mail is not a safe place for details. */
function composeMail({ _id, workspaceId, lovedOneId }: CareEvent, member: Member, name: string, inboxUrl: string) {
  const { personId, email, name: toName } = member
  const whom = nameInMail(name)
  return {
    id: deriveMailId('urgent', [_id, personId]),
    kind: MailKind.URGENT_EVENT,
    workspaceId,
    ...fromService({ email, name: toName }),
    subject: `Urgent: please look at the timeline of ${whom}`,
    text: [
      `A care agency reported something urgent about ${whom}.`,
      'For privacy, this email doesn’t include the details. Open the timeline to see them.',
      'Everyone in your care circle gets this email. We send at most one in ten minutes; the timeline shows what came since.',
    ].join('\n\n'),
    actionLabel: 'Open the timeline',
    actionUrl: `${inboxUrl}/timeline/${lovedOneId}`,
  } satisfies OutgoingMail
}
