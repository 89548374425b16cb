import { NotificationMode } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, radioField, selectField, toFieldErrors } from '../shell/fields.ts'
import { html } from '../shell/html.ts'
import type { Page } from '../shell/page.ts'
import { asPerson } from '../shell/session.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { settingsPage } from './settings-page.ts'

const TIME_ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')]
  .map((value) => ({ value, label: cityLabel(value) }))
  .sort((a, b) => a.label.localeCompare(b.label, 'en'))

const NOTIFICATION_MODES = {
  none: NotificationMode.NONE,
  personal: NotificationMode.PERSONAL,
  each: NotificationMode.EACH,
  digest: NotificationMode.DIGEST,
} as const

export function showNotifications(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const found = await ctx.inbox.getNotifications({}, asPerson(workspace.session, visit))
    const { mode, timeZone, weeklySummary = false } = found
    const values = { mode: modeName(mode), timeZone: timeZone || visit.clock.timeZone, weeklySummary }
    return { page: notificationsPage({ workspace, values, errors: {} }) }
  }
}

export function setNotifications(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const values = {
      mode: visit.field('mode').slice(0, 20),
      timeZone: visit.field('timeZone').slice(0, 100),
      weeklySummary: visit.field('weeklySummary') === '1',
    }
    const mode = Object.hasOwn(NOTIFICATION_MODES, values.mode)
      ? NOTIFICATION_MODES[values.mode as keyof typeof NOTIFICATION_MODES]
      : NotificationMode.UNSPECIFIED
    try {
      await ctx.inbox.setNotifications({ ...values, mode }, asPerson(workspace.session, visit))
      return {
        redirectTo: '/settings/notifications',
        flash: `notifications-${values.mode as keyof typeof NOTIFICATION_MODES}`,
        cookies: [{ name: 'timeZone', value: values.timeZone }],
      }
    } catch (error) {
      return { status: 422, page: notificationsPage({ workspace, values, errors: toFieldErrors(error, ERRORS) }) }
    }
  }
}

const ERRORS = {
  mode: 'Choose when to get notifications',
  timeZone: 'Choose a time zone from the list',
}

type NotificationsData = {
  workspace: Workspace
  values: { mode: string; timeZone: string; weeklySummary: boolean }
  errors: FieldErrors
}

function notificationsPage({ workspace, values, errors }: NotificationsData): Page {
  return settingsPage({
    workspace,
    title: 'Notifications',
    hasErrors: Object.keys(errors).length > 0,
    main: html`${errorSummary(errors)}
<h1>Notifications</h1>
<p>When mail arrives for <bdi>${workspace.name}</bdi>, we can email <bdi>${workspace.session.email}</bdi>. A notification says who the new mail is for and how much there is, but not what it says. You can also hear about what’s for you.</p>
<form method="post" action="/settings/notifications" novalidate>
${radioField({
  name: 'mode',
  legend: 'When should we email you?',
  value: values.mode,
  error: errors.mode,
  options: [
    { value: 'none', label: 'Never' },
    {
      value: 'personal',
      label: 'Only what’s for me',
      hint: 'When someone hands you a message, a note names you, or a reminder is due. The choices below include it.',
    },
    {
      value: 'each',
      label: 'Soon after each message',
      hint: 'We group messages that arrive close together.',
    },
    { value: 'digest', label: 'Once a day', hint: 'At 8 in the morning, if there is new mail.' },
  ],
})}
<label class="tick"><input type="checkbox" name="weeklySummary" value="1"${values.weeklySummary && html` checked`}> <span>A weekly summary of what assistants did<span class="hint">On Mondays at 8 in the morning, if they did anything. It counts what Assistant activity shows you.</span></span></label>
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
<p class="aside">These settings are only for you and this family. Every notification has an unsubscribe link. When a care agency reports an emergency, everyone gets an email, whatever they chose here.</p>`,
  })
}

function cityLabel(timeZone: string): string {
  const parts = timeZone.replaceAll('_', ' ').split('/')
  const city = parts.pop() ?? ''
  return parts.length === 0 ? city : `${city} (${parts.reverse().join(', ')})`
}

function modeName(mode: NotificationMode): string {
  return Object.entries(NOTIFICATION_MODES).find(([, known]) => known === mode)?.[0] ?? 'none'
}
