import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { NotificationMode } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { undefinedIfUnknown } from '../shell/enter.ts'
import { errorSummary, type FieldErrors, selectField } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import type { Page } from '../shell/page.ts'
import { asPerson } from '../shell/session.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import {
  appointmentFields,
  modeField,
  NOTIFICATION_MODES,
  type NotificationValues,
  readNotificationForm,
  savedFlash,
  saveNotifications,
  tick,
} from './notification-form.ts'
import { pushSection } from './push-devices.ts'
import { settingsPage } from './settings-page.ts'

const TIME_ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')]
  .map((value) => ({ value, label: cityLabel(value) }))
  .sort((a, b) => a.label.localeCompare(b.label, 'en'))

export function showNotifications(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const person = asPerson(workspace.session, visit)
    const [{ mode, timeZone, weeklySummary, answerByMail = true }, found, push] = await Promise.all([
      ctx.inbox.getNotifications({}, person),
      ctx.careCircle.getAppointmentMail({}, person).catch(undefinedIfUnknown),
      ctx.inbox.listPushDevices({}, person).catch(undefinedIfUnknown),
    ])
    const appointments = found?.mail ?? { changes: false, dayBefore: true, hoursBefore: false }
    const values = {
      ...appointments,
      mode: modeName(mode),
      timeZone: timeZone || visit.clock.timeZone,
      weeklySummary,
      answerByMail,
    }
    return { page: notificationsPage({ workspace, values, errors: {}, push: push && pushSection(push, visit.clock) }) }
  }
}

export function setNotifications(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const [weeklySummary, answerByMail] = ['weeklySummary', 'answerByMail'].map((name) => visit.field(name) === '1')
    const values = { ...readNotificationForm(visit), weeklySummary, answerByMail }
    const errors = await saveNotifications(ctx, visit, workspace, values)
    if (errors !== undefined) return { status: 422, page: notificationsPage({ workspace, values, errors }) }
    return {
      redirectTo: '/settings/notifications',
      flash: savedFlash(values),
      cookies: [{ name: 'timeZone', value: values.timeZone }],
    }
  }
}

type NotificationsData = {
  workspace: Workspace
  values: NotificationValues
  errors: FieldErrors
  push?: Html | undefined
}

function notificationsPage({ workspace, values, errors, push }: NotificationsData): Page {
  return settingsPage({
    workspace,
    title: 'Notifications',
    hasErrors: Object.keys(errors).length > 0,
    main: html`${errorSummary(errors)}
<h1>Notifications</h1>
<p>When mail arrives for <bdi>${workspace.name}</bdi>, we can email <bdi>${workspace.session.email}</bdi>. A notification says who the new mail is for and how much there is, but not what it says. You can also hear about what’s for you.</p>
<form method="post" action="/settings/notifications" novalidate>
${modeField(['none', 'personal', 'each', 'digest'], 'When should we email you?', values, errors)}
${appointmentFields(values)}
${tick('answerByMail', values.answerByMail ?? true, 'Answer by email', answerHint(workspace))}
${tick('weeklySummary', values.weeklySummary ?? false, 'A weekly summary of what assistants did', 'On Mondays at 8 in the morning, if they did anything. It counts what you see in Assistant activity.')}
${selectField({
  name: 'timeZone',
  label: 'Time zone',
  hint: 'Choose a city near you.',
  value: values.timeZone,
  error: errors.timeZone,
  options: TIME_ZONES,
})}
<button>Save</button>
</form>
${push}
<p class="aside">These settings are only for you and this family. Every notification has an unsubscribe link. When a care agency reports an emergency, everyone gets an email, whatever they chose here.</p>`,
  })
}

function answerHint({ role }: Workspace): string {
  const note = 'If “note” is alone on its first line, it becomes a note for your family.'
  if (role === Role.VIEWER) return `You can reply to an email about one message. ${note}`
  return `Your reply to an email about one message goes to whoever wrote it, in your family’s name. ${note}`
}

function cityLabel(timeZone: string): string {
  const parts = timeZone.replaceAll('_', ' ').split('/')
  const city = parts.pop() ?? ''
  return parts.length === 0 ? city : `${city} (${parts.reverse().join(', ')})`
}

function modeName(mode: NotificationMode): string {
  return Object.entries(NOTIFICATION_MODES).find(([, known]) => known === mode)?.[0] ?? 'none'
}
