import { createHash } from 'node:crypto'
import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { sweepDue } from '@family-inbox/service-kit/mongo/claim-due'
import { type RateLimit, trySpendRateLimits } from '@family-inbox/service-kit/mongo/rate-limit'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { nameInMail } from '@family-inbox/workspace-kit/mail-name'
import type { Context } from '../context.ts'
import type { Appointment, Going, Occurrence, Proof } from '../models/appointment.ts'
import type { Member } from '../models/member.ts'
import { findRecipients, memberMail } from './member-mail.ts'

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
  const goes = { personId: { $in: concernedOf(row).map(({ personId }) => personId) } }
  const asked = { 'appointmentMail.changes': true, personId: { $ne: row.newsBy } }
  const filter = { $or: [goes, ...(row.newsBy === undefined ? [] : [asked])] }
  const { members, lovedOneName } = await findRecipients(ctx, row, filter)
  if (lovedOneName !== undefined) for (const member of members) await sendOne(ctx, row, member, lovedOneName)
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

function composeNotice(row: Appointment, member: Member, lovedOneName: string, inboxUrl: string) {
  const { personId } = member
  const goes = concernedOf(row).find((one) => one.personId === personId)
  const whom = nameInMail(lovedOneName)
  const identity = { prefix: 'appointment', parts: [row._id, row.version, personId] }
  const words = goes ? wordsForGoers(whom) : wordsForOthers(whom)
  return memberMail(row, member, { identity, key: goes?.key ?? '', words, inboxUrl })
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
