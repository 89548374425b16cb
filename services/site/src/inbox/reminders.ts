import { Category, type Reminder } from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { shiftDay } from '@family-inbox/service-kit/time/calendar-day'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { messageIdsOf } from '../shell/inbox-paths.ts'
import { calendarDay, shortCalendarDay, whenOf } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import { undefinedIfMissing, type WorkspaceHandler } from '../shell/workspace.ts'
import { comingDeadline } from './find-deadlines.ts'
import { backToMessage, type MailList, withList } from './mail-list.ts'
import { messageMissing, type OpenMessage } from './read-message.ts'
import { isFinished } from './status-bar.ts'

/** In days from today. */
const OFFERED = [1, 2, 3, 4, 5, 6, 7, 10, 14, 21, 28, 42, 60, 90, 180, 365]

/** The coming reminders of the conversation, what ended others, and a form for another one. */
export function remindersSection(
  { query, workspace }: MailList,
  open: OpenMessage,
  clock: ReaderClock,
): Html | undefined {
  const { reminders, message } = open.message
  if (reminders.length === 0 && !workspace.canWrite) return undefined
  const path = `/inbox/${open.lovedOne.id}/${message.id}/reminders`
  return html`<section class="reminders" id="reminders" aria-label="Reminders">
${reminders.map((reminder) => shownReminder(reminder, workspace.canWrite && withList(`${path}/remove`, query), clock))}
${workspace.canWrite && reminderForm(withList(path, query), clock)}
</section>`
}

function shownReminder(reminder: Reminder, path: string | false, clock: ReaderClock): Html {
  const { id, day, onlyIfUnanswered, name, endedByMailAt, hasNewMail } = reminder
  if (endedByMailAt)
    return html`<p class="hint">No reminder on ${shortCalendarDay(day, clock)}: they wrote again, ${whenOf(endedByMailAt, clock)}.</p>`
  return html`<div class="row reminder"><p><strong>Reminder on ${shortCalendarDay(day, clock)}</strong>${onlyIfUnanswered && ', only if nobody has answered'} <span class="hint">set by <bdi>${name}</bdi>${hasNewMail && '. New mail came since, but not verifiably from the same sender. We’ll still remind you.'}</span></p>
${path && html`<form method="post" action="${path}"><input type="hidden" name="reminder" value="${id}"><button class="quiet">Remove<span class="unseen"> reminder</span></button></form>`}</div>`
}

function reminderForm(path: string, clock: ReaderClock): Html {
  const today = calendarDay(clock.now, clock)
  const days = OFFERED.map((count) => ({ count, day: shiftDay(today, count) }))
  return html`<details class="linked"><summary>Remind us</summary>
<form method="post" action="${path}">
<div class="row"><label for="day">On</label>
<select id="day" name="day">${days.map(({ count, day }) => html`<option value="${day}">${dayName(count, day, clock)}</option>`)}</select></div>
<label class="tick"><input type="checkbox" name="unanswered" value="1" checked> <span>Only if nobody has answered</span></label>
<button class="second">Set reminder</button>
<p class="hint">At 8 in the morning, by email: to whoever has taken the message, or to everyone who can reply.</p>
</form></details>`
}

/** Offers a reminder where the mail asks for an answer by a day; a person sets it or not. */
export function reminderOffer({ query, workspace }: MailList, open: OpenMessage, clock: ReaderClock): Html | undefined {
  const deadline = workspace.canWrite ? openDeadline(open, clock) : undefined
  if (
    deadline === undefined ||
    open.message.reminders.some(({ day, endedByMailAt }) => day <= deadline && !endedByMailAt)
  )
    return undefined
  const dayBefore = shiftDay(deadline, -1)
  const isTooLate = dayBefore <= calendarDay(clock.now, clock)
  const path = withList(`/inbox/${open.lovedOne.id}/${open.message.message.id}/reminders`, query)
  return html`<form class="offer" method="post" action="${path}">
<p>They ask for an answer by <strong>${shortCalendarDay(deadline, clock)}</strong>. Remind us ${isTooLate ? 'that morning' : 'the day before'}?</p>
<input type="hidden" name="day" value="${isTooLate ? deadline : dayBefore}"><input type="hidden" name="unanswered" value="1">
<button class="second">Set reminder</button>
</form>`
}

/** Undefined once someone has answered, or nobody needs to. */
function openDeadline({ message: opened }: OpenMessage, clock: ReaderClock): string | undefined {
  const { message, body, replies, forwardingConfirmation } = opened
  const { subject, category, state, receivedAt = clock.now } = message
  const isAnswered = replies.some(({ sentAt }) => sentAt !== undefined && sentAt > receivedAt)
  if (isAnswered || isFinished(state) || forwardingConfirmation || category === Category.AUTOMATED) return undefined
  return comingDeadline(`${subject}\n\n${body}`, receivedAt, clock)
}

function dayName(count: number, day: string, clock: ReaderClock): string {
  const name = shortCalendarDay(day, clock)
  if (count === 1) return `Tomorrow, ${name}`
  return count % 7 === 0 && count < 60 ? `${name}, in ${count / 7} ${count === 7 ? 'week' : 'weeks'}` : name
}

export function setReminder(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const request = {
      ...messageIdsOf(visit),
      day: visit.field('day').slice(0, 10),
      onlyIfUnanswered: visit.field('unanswered') !== '',
      timeZone: visit.clock.timeZone,
    }
    try {
      const set = await ctx.inbox.setReminder(request, asPerson(workspace.session, visit)).catch(undefinedIfMissing)
      if (set === undefined) return messageMissing(workspace)
      return { redirectTo: backToMessage(visit, 'reminders'), flash: 'reminder-set' }
    } catch (error) {
      if (!(error instanceof StatusError) || error.detail.field !== 'day') throw error
      return { redirectTo: backToMessage(visit, 'reminders'), flash: 'reminder-day-passed' }
    }
  }
}

export function removeReminder(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const reminderId = visit.field('reminder').slice(0, 128)
    await ctx.inbox.removeReminder({ reminderId }, asPerson(workspace.session, visit))
    return { redirectTo: backToMessage(visit, 'reminders'), flash: 'reminder-removed' }
  }
}
