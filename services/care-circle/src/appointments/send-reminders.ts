import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { sweepDue } from '@family-inbox/service-kit/mongo/claim-due'
import { nameInMail } from '@family-inbox/workspace-kit/mail-name'
import type { Context } from '../context.ts'
import type { Appointment, Going, Occurrence } from '../models/appointment.ts'
import type { Member } from '../models/member.ts'
import { appointmentMailOf } from './appointment-mail.ts'
import { findRecipients, memberMail } from './member-mail.ts'
import { type ReminderKind, reminderTimes, startIn } from './reminder-times.ts'

/** Safe on any number of replicas: one claims each, and a repeated mail has the same id. */
export function startReminderSweeper(ctx: Context): AsyncDisposable {
  const failureMessage = 'could not remind members of an appointment; will retry'
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    ...sweepDue({ rows: ctx.appointments, field: 'remindDueAt' }, (row: Appointment) => remind(ctx, row)),
    wake: ctx.wake.reminders,
    failureMessage,
    logger: ctx.logger,
  })
}

type Due = { member: Member; occurrence: Occurrence; kind: ReminderKind }

async function remind(ctx: Context, row: Appointment): Promise<void> {
  const now = new Date()
  const { _id, remindDueAt } = row
  const goes = { personId: { $in: row.going.map(({ personId }) => personId) } }
  const { members, lovedOneName } = await findRecipients(ctx, row, goes)
  const { due, nextAt } = findReminders(row, members, now)
  if (lovedOneName !== undefined)
    for (const one of due) await ctx.mailQueue.send(composeReminder(row, one, lovedOneName, ctx.config.inboxUrl))
  // Another "I'll go" has set another time meanwhile.
  await ctx.appointments.updateOne(
    { _id, remindDueAt },
    nextAt
      ? { $set: { remindedUntil: now, remindDueAt: nextAt } }
      : { $set: { remindedUntil: now }, $unset: { remindDueAt: 1 } },
  )
}

/** What is due now, and when to look again, whatever the members choose until then. */
function findReminders(
  { going, occurrences, remindedUntil }: Pick<Appointment, 'going' | 'occurrences' | 'remindedUntil'>,
  members: readonly Member[],
  now: Date,
): { due: Due[]; nextAt: Date | undefined } {
  const all = going.flatMap((one) => timesOf(one, occurrences, members))
  const due = all.filter(({ at, since, member, kind, start }) => {
    const isNew = at > since && (remindedUntil === undefined || at > remindedUntil)
    return isNew && at <= now && start > now && appointmentMailOf(member.appointmentMail)[kind]
  })
  const ahead = all.map(({ at }) => at.getTime()).filter((at) => at > now.getTime())
  return { due, nextAt: ahead.length === 0 ? undefined : new Date(Math.min(...ahead)) }
}

function timesOf({ key, personId, since }: Going, occurrences: Occurrence[], members: readonly Member[]) {
  const member = members.find((one) => one.personId === personId)
  const occurrence = occurrences.find((one) => one.key === key)
  if (member === undefined || occurrence === undefined) return []
  const { timeZone } = appointmentMailOf(member.appointmentMail)
  const start = startIn(occurrence, timeZone)
  return reminderTimes(occurrence, timeZone).map((reminder) => ({
    ...reminder,
    member,
    occurrence,
    start,
    since: since ?? new Date(0),
  }))
}

function composeReminder(row: Appointment, { member, occurrence, kind }: Due, name: string, inboxUrl: string) {
  const { key, startsAt } = occurrence
  const whom = nameInMail(name)
  const when = whenOf(occurrence, appointmentMailOf(member.appointmentMail).timeZone)
  const words = {
    subject: `Reminder: an appointment for ${whom}`,
    text: [
      `You’re going to an appointment for ${whom}: ${when}.`,
      'For privacy, this email doesn’t say what it is and where. The calendar does.',
      'You can turn reminders off in Settings, Notifications.',
    ].join('\n\n'),
    actionLabel: 'Open the appointment',
  }
  const identity = { prefix: 'reminder', parts: [row._id, key, startsAt.toISOString(), member.personId, kind] }
  return memberMail(row, member, { identity, key, words, inboxUrl })
}

/** Such as "Saturday, May 14 at 10:20 AM EDT". */
function whenOf(occurrence: Occurrence, timeZone: string): string {
  const day = { weekday: 'long', month: 'long', day: 'numeric' } as const
  if (occurrence.kind === 'day')
    return `${new Intl.DateTimeFormat('en-US', { ...day, timeZone: 'UTC' }).format(occurrence.startsAt)}, all day`
  const time = { hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const
  return new Intl.DateTimeFormat('en-US', { ...day, ...time, timeZone }).format(startIn(occurrence, timeZone))
}
