import { NotificationMode } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, toFieldErrors } from '../shell/field.ts'
import { radioField, selectField } from '../shell/form-controls.ts'
import { html } from '../shell/html.ts'
import type { Page } from '../shell/page.ts'
import { asPerson } from '../shell/session.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { settingsPage } from './settings-page.ts'

/** Shows whether the reader is told of new mail; their time zone is the browser's until they have chosen one. */
export function showNotifications(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { mode, timeZone } = await ctx.inbox.getNotifications({}, asPerson(workspace.session, visit))
    const values = { mode: wordOfMode(mode), timeZone: timeZone || visit.clock.timeZone }
    return { page: notificationsPage({ workspace, values, errors: {} }) }
  }
}

/** Keeps whether the reader wants to be told of new mail. */
export function setNotifications(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const values = { mode: visit.field('mode').slice(0, 20), timeZone: visit.field('timeZone').slice(0, 100) }
    const mode = Object.hasOwn(NOTIFICATION_MODES, values.mode)
      ? NOTIFICATION_MODES[values.mode as keyof typeof NOTIFICATION_MODES]
      : NotificationMode.UNSPECIFIED
    try {
      await ctx.inbox.setNotifications({ mode, timeZone: values.timeZone }, asPerson(workspace.session, visit))
      return {
        redirectTo: '/settings/notifications',
        flash: `notifications-${values.mode as keyof typeof NOTIFICATION_MODES}`,
      }
    } catch (error) {
      return { status: 422, page: notificationsPage({ workspace, values, errors: toFieldErrors(error, WORDS) }) }
    }
  }
}

const WORDS = {
  mode: 'Choose when we shall write',
  timeZone: 'Choose a place from the list',
}

type NotificationsData = {
  workspace: Workspace
  values: { mode: string; timeZone: string }
  errors: FieldErrors
}

/** Whether a mail comes when something new is in the inbox. */
function notificationsPage({ workspace, values, errors }: NotificationsData): Page {
  return settingsPage({
    workspace,
    title: 'Notifications',
    hasErrors: Object.keys(errors).length > 0,
    main: html`${errorSummary(errors)}
<h1>Notifications</h1>
<p>When mail arrives in <bdi>${workspace.name}</bdi>, we can write to <bdi>${workspace.session.email}</bdi>. Such a mail says who the new mail is for and how much there is, never what it says.</p>
<form method="post" action="/settings/notifications" novalidate>
${radioField({
  name: 'mode',
  legend: 'When shall we write?',
  value: values.mode,
  error: errors.mode,
  options: [
    { value: 'none', label: 'Never' },
    { value: 'each', label: 'Soon after each message', hint: 'Several within minutes come together, in one mail.' },
    { value: 'digest', label: 'Once a day', hint: 'At eight in the morning, if there is anything new.' },
  ],
})}
${selectField({
  name: 'timeZone',
  label: 'Whose eight in the morning?',
  hint: 'The place nearest to you.',
  value: values.timeZone,
  error: errors.timeZone,
  options: TIME_ZONES,
})}
<button>Save</button>
</form>
<p class="aside">This is for you alone, and for this household alone. Every such mail has a link that ends them.</p>`,
  })
}

/** Every time zone there is, by its place: “Lisbon (Europe)”. */
const TIME_ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')]
  .map((value) => ({ value, label: placeOf(value) }))
  .sort((a, b) => a.label.localeCompare(b.label, 'en'))

function placeOf(timeZone: string): string {
  const parts = timeZone.replaceAll('_', ' ').split('/')
  const place = parts.pop() ?? ''
  return parts.length === 0 ? place : `${place} (${parts.reverse().join(', ')})`
}

/** What the form of notifications can say, and what it means to inbox. */
const NOTIFICATION_MODES = {
  none: NotificationMode.NONE,
  each: NotificationMode.EACH,
  digest: NotificationMode.DIGEST,
} as const

/** The form's word for a mode; `none` for one it does not know. */
function wordOfMode(mode: NotificationMode): string {
  return Object.entries(NOTIFICATION_MODES).find(([, known]) => known === mode)?.[0] ?? 'none'
}
