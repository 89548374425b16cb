import { createHash } from 'node:crypto'
import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { sweepDue } from '@family-inbox/service-kit/mongo/claim-due'
import { type RateLimit, trySpendRateLimits } from '@family-inbox/service-kit/mongo/rate-limit'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { toMailName } from '@family-inbox/workspace-kit/mail-name'
import { fromService } from '@family-inbox/workspace-kit/outgoing-mail'
import type { Context } from '../context.ts'
import type { Appointment, Going, Occurrence, Proof } from '../models/appointment.ts'
import { type Member, memberId } from '../models/member.ts'

/** Changes in a day that a member hears of by mail: of each sender, and of all with the same proof. */
const PER_SENDER = 5
const PER_DAY: Record<Proof, number> = { unverified: 5, verified: 30, forwarded: 30, member: 30 }

/** The mail that a new appointment makes due, to those who asked for news. @param addedBy the member; empty for a sender */
export function newsOf({ activeUntil }: Pick<Appointment, 'activeUntil'>, addedBy = ''): Partial<Appointment> {
  const now = new Date()
  return activeUntil !== undefined && activeUntil > now ? { noticeDueAt: now, newsBy: addedBy } : {}
}

/**
 * The mail that a change of something ahead makes due: to those who go to it, and who asked for news.
 * @param changedBy the member who changed it; empty for its sender
 */
export function noticeOf(
  { occurrences, going, noticeTo = [] }: Appointment,
  next: Occurrence[],
  changedBy = '',
): Partial<Appointment> {
  const now = new Date()
  const before = new Map(occurrences.map((occurrence) => [occurrence.key, occurrence.changedAt?.getTime()]))
  const changed = next.filter(({ key, endsAt, changedAt }) => {
    const isNew = changedAt !== undefined && changedAt.getTime() !== before.get(key)
    return isNew && endsAt >= now
  })
  const keys = new Set(changed.map(({ key }) => key))
  const concerned = going.filter(({ key, personId }) => keys.has(key) && personId !== changedBy)
  if (changed.length === 0) return {}
  return {
    noticeDueAt: now,
    newsBy: changedBy,
    noticeTo: [...noticeTo, ...concerned.filter((member) => !includes(noticeTo, member))],
    ...(going.length > 0 && { remindDueAt: now }),
  }
}

function includes(some: Going[], { key, personId }: Going): boolean {
  return some.some((member) => member.key === key && member.personId === personId)
}

/** Safe on any number of replicas: one claims each, and a repeated mail has the same id. */
export function startNoticeSweeper(ctx: Context): AsyncDisposable {
  const failureMessage = 'could not tell members of a changed appointment; will retry'
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    ...sweepDue({ rows: ctx.appointments, field: 'noticeDueAt' }, (row: Appointment) => sendNotices(ctx, row)),
    wake: ctx.wake.notices,
    failureMessage,
    logger: ctx.logger,
  })
}

async function sendNotices(ctx: Context, row: Appointment): Promise<void> {
  await sendAll(ctx, row)
  // A newer change makes its own notice.
  const { _id, version } = row
  await ctx.appointments.updateOne({ _id, version }, { $unset: { noticeDueAt: 1, noticeTo: 1, newsBy: 1 } })
}

async function sendAll(ctx: Context, row: Appointment): Promise<void> {
  const { workspaceId, lovedOneId } = row
  const personIds = new Set(concernedOf(row).map(({ personId }) => personId))
  const goes = { _id: { $in: [...personIds].map((id) => memberId(workspaceId, id)) } }
  const asked = { 'appointmentMail.changes': true, personId: { $ne: row.newsBy } }
  const [members, workspace, lovedOne] = await Promise.all([
    ctx.members.find({ workspaceId, $or: [goes, ...(row.newsBy === undefined ? [] : [asked])] }).lean(),
    ctx.workspaces.findById(workspaceId, { sandbox: 1, mailStoppedAt: 1 }).lean(),
    ctx.lovedOnes.findById(lovedOneId, { name: 1 }).lean(),
  ])
  if (workspace === null || workspace.sandbox || workspace.mailStoppedAt || lovedOne === null) return
  for (const member of members) await sendOne(ctx, row, member, lovedOne.name)
}

/** Without those who have changed their minds. */
function concernedOf({ going, noticeTo = [] }: Appointment): Going[] {
  return noticeTo.filter((member) => includes(going, member))
}

async function sendOne(ctx: Context, row: Appointment, member: Member, lovedOneName: string): Promise<void> {
  const mail = composeNotice(row, member, lovedOneName, ctx.config.inboxUrl)
  // The calendar shows the rest.
  if (await trySpendRateLimits(ctx.mailLimits, limitsOf(row, member), mail.id)) await ctx.mailQueue.send(mail)
}

/** Anybody may send many updates, so senders without proof take nothing from the others. */
function limitsOf({ proof, senderAddress }: Appointment, { _id }: Member): RateLimit[] {
  const sender = createHash('sha256').update(senderAddress).digest('hex')
  const scope = (name: string, most: number) => ({
    _id: `appointments/${_id}/${name}`,
    windows: [{ most, ms: DAY_MS }],
    refusal: 'Too many.',
  })
  const all = scope(proof, PER_DAY[proof])
  return proof === 'member' ? [all] : [scope(`${proof}/${sender}`, PER_SENDER), all]
}

/** Says only whom the appointment is for: mail is not a safe place for details. */
function composeNotice(row: Appointment, { personId, email, name }: Member, lovedOneName: string, inboxUrl: string) {
  const { _id, version, workspaceId } = row
  const goes = concernedOf(row).find((member) => member.personId === personId)
  const key = goes?.key ?? ''
  const whom = toMailName(lovedOneName) || 'somebody you care for'
  const hash = createHash('sha256').update(`${_id}\n${version}\n${personId}`).digest('hex')
  return {
    id: `appointment-${hash.slice(0, 32)}`,
    kind: MailKind.APPOINTMENT,
    workspaceId,
    ...fromService({ email, name }),
    ...(goes ? wordsForGoers(whom) : wordsForOthers(whom)),
    actionUrl: `${inboxUrl}/appointments/${_id}${key && `?occurrence=${key}`}`,
  } satisfies OutgoingMail
}

const PRIVATE = 'For privacy, this email doesn’t include the details.'

function wordsForGoers(whom: string) {
  const what = `An appointment for ${whom} that you’re going to was moved or canceled, or its location changed.`
  return {
    subject: `An appointment for ${whom} changed`,
    text: [what, PRIVATE, 'You get it because you chose “I’ll go”.'].join('\n\n'),
    actionLabel: 'See what changed',
  }
}

function wordsForOthers(whom: string) {
  const what = `An appointment for ${whom} is new, or was moved or canceled.`
  return {
    subject: `An appointment for ${whom}`,
    text: [what, PRIVATE, 'You get it because you asked for it in Settings, Notifications.'].join('\n\n'),
    actionLabel: 'Open the appointment',
  }
}
