import { NotificationMode } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { type FieldErrors, radioField, toFieldErrors } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { Workspace } from '../shell/workspace.ts'

export type NotificationValues = {
  mode: string
  changes: boolean
  dayBefore: boolean
  hoursBefore: boolean
  timeZone: string
  weeklySummary?: boolean
  answerByMail?: boolean
}

export const NOTIFICATION_MODES = {
  none: NotificationMode.NONE,
  personal: NotificationMode.PERSONAL,
  each: NotificationMode.EACH,
  digest: NotificationMode.DIGEST,
} as const

type ModeName = keyof typeof NOTIFICATION_MODES

const MODES: Record<ModeName, { label: string; hint?: string }> = {
  none: { label: 'Never' },
  personal: {
    label: 'Only what’s for me',
    hint: 'When someone hands you a message, a note names you, or a reminder is due. The choices below include it.',
  },
  each: { label: 'Soon after each message', hint: 'We group messages that arrive close together.' },
  digest: { label: 'Once a day', hint: 'At 8 in the morning, if there is new mail.' },
}

const ERRORS = {
  mode: 'Choose when to get notifications',
  timeZone: 'Choose a time zone from the list',
}

export function modeField(names: ModeName[], legend: string, { mode }: NotificationValues, errors: FieldErrors): Html {
  const options = names.map((value) => ({ value, ...MODES[value] }))
  return radioField({ name: 'mode', legend, value: mode, error: errors.mode, options })
}

export function appointmentFields({ changes, dayBefore, hoursBefore }: NotificationValues): Html {
  return html`<fieldset><legend>Appointments</legend>
${tick('changes', changes, 'New, moved and canceled ones', 'When you go to one, you hear of its changes in any case.')}
${tick('dayBefore', dayBefore, 'A reminder a day before', 'For those you go to.')}
${tick('hoursBefore', hoursBefore, 'A reminder two hours before', 'For those you go to.')}
</fieldset>`
}

export function tick(name: string, isOn: boolean, label: string, hint: string): Html {
  return html`<label class="tick"><input type="checkbox" name="${name}" value="1"${isOn && html` checked`}> <span>${label}<span class="hint">${hint}</span></span></label>`
}

export function readNotificationForm(visit: Visit): NotificationValues {
  return {
    mode: visit.field('mode').slice(0, 20),
    changes: visit.field('changes') === '1',
    dayBefore: visit.field('dayBefore') === '1',
    hoursBefore: visit.field('hoursBefore') === '1',
    timeZone: visit.field('timeZone').slice(0, 100),
  }
}

/** Appointments are care-circle's, mail is inbox's. @returns what to say about the fields; undefined if all is saved */
export async function saveNotifications(
  ctx: Context,
  visit: Visit,
  { session }: Workspace,
  values: NotificationValues,
): Promise<FieldErrors | undefined> {
  const { timeZone, changes, dayBefore, hoursBefore, weeklySummary, answerByMail } = values
  const mode = isMode(values.mode) ? NOTIFICATION_MODES[values.mode] : NotificationMode.UNSPECIFIED
  const person = asPerson(session, visit)
  try {
    await ctx.inbox.setNotifications({ mode, timeZone, weeklySummary, answerByMail }, person)
    const appointments = { mail: { changes, dayBefore, hoursBefore }, timeZone }
    await ctx.careCircle.setAppointmentMail(appointments, person)
    return undefined
  } catch (error) {
    return toFieldErrors(error, ERRORS)
  }
}

function isMode(name: string): name is ModeName {
  return Object.hasOwn(NOTIFICATION_MODES, name)
}

/** The words after saving. */
export function savedFlash({ mode }: NotificationValues): `notifications-${ModeName}` {
  return `notifications-${isMode(mode) ? mode : 'none'}`
}
