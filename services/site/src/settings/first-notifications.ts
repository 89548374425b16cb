import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { appointmentPath, clockTimeOf, titleOf } from '../appointments/appointment-words.ts'
import { listedDay, readComingDays } from '../appointments/coming-days.ts'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { nameOfDay } from '../shell/moment.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { safeReturnTo } from '../shell/return-to.ts'
import { type Visit, withTimeout } from '../shell/visit.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import {
  appointmentFields,
  modeField,
  type NotificationValues,
  readNotificationForm,
  saveNotifications,
} from './notification-form.ts'

/** The page does not wait longer for what comes next. */
const TIMEOUT_MS = 400

/** The one question for a new member. Whoever organizes hears of each message unless they choose otherwise. */
export function showFirstNotifications(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const organizes = workspace.role !== Role.VIEWER
    const values = {
      mode: organizes ? 'each' : 'personal',
      changes: organizes,
      dayBefore: true,
      hoursBefore: false,
      timeZone: visit.clock.timeZone,
    }
    return { page: await firstPage(ctx, visit, workspace, { values, returnTo: visit.query('return_to'), errors: {} }) }
  }
}

export function setFirstNotifications(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const values = readNotificationForm(visit)
    const returnTo = safeReturnTo(visit.field('return_to'))
    const errors = await saveNotifications(ctx, visit, workspace, values)
    if (errors === undefined) return { redirectTo: returnTo }
    return { status: 422, page: await firstPage(ctx, visit, workspace, { values, returnTo, errors }) }
  }
}

type FirstData = { values: NotificationValues; returnTo: string; errors: FieldErrors }

async function firstPage(ctx: Context, visit: Visit, workspace: Workspace, data: FirstData): Promise<Page> {
  const { values, returnTo, errors } = data
  const main = html`${errorSummary(errors)}
<h1>How should we tell you?</h1>
${await nextLine(ctx, visit, workspace)}
<form method="post" action="/settings/notifications/first" novalidate>
<input type="hidden" name="return_to" value="${safeReturnTo(returnTo)}">
<input type="hidden" name="timeZone" value="${values.timeZone}">
${modeField(['each', 'digest', 'personal'], 'When mail arrives', values, errors)}
${appointmentFields(values)}
<button>Continue</button>
</form>
<p class="aside">We email <bdi>${workspace.session.email}</bdi>, without what the mail says. In an emergency that a care agency reports, everyone gets an email. You can change this in Settings.</p>`
  const hasErrors = Object.keys(errors).length > 0
  return sectionPage({ id: 'settings', workspace }, { title: 'How should we tell you?', hasErrors, main })
}

/** What the family does next is the best welcome. */
async function nextLine(ctx: Context, visit: Visit, workspace: Workspace): Promise<Html | undefined> {
  const { clock } = visit
  const hurried = withTimeout(visit, TIMEOUT_MS)
  const coming = await readComingDays(ctx, hurried, workspace, undefined).catch(() => [])
  const next = coming.find(({ canceled }) => !canceled)
  const day = next && listedDay(next, clock)
  if (!next?.start || day === undefined) return undefined
  const about = workspace.lovedOnes.find(({ id }) => id === next.lovedOneId)
  return html`<p>Next${about && html` for <bdi>${about.name}</bdi>`}: <a href="${appointmentPath(next)}"><bdi>${titleOf(next)}</bdi></a>, ${nameOfDay(day, clock)}, ${clockTimeOf(next.start, clock)}.</p>`
}
