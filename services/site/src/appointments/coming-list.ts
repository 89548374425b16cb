import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { nameOfDay } from '../shell/moment.ts'
import { withSidebar } from '../shell/sidebar.ts'
import { withTimeout } from '../shell/visit.ts'
import type { WorkspaceHandler } from '../shell/workspace.ts'
import { appointmentPath, clockTimeOf, titleOf } from './appointment-words.ts'
import { listedDay, readComingDays } from './coming-days.ts'

/** The page does not wait longer for its list. */
const TIMEOUT_MS = 400

export function besideComing(ctx: Context, handler: WorkspaceHandler): WorkspaceHandler {
  return withSidebar('Next days', handler, async (visit, workspace) => {
    const { clock } = visit
    const coming = await readComingDays(ctx, withTimeout(visit, TIMEOUT_MS), workspace, undefined)
    const byDay = Map.groupBy(coming, (appointment) => listedDay(appointment, clock) ?? '')
    return [...byDay]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([day, ones]) => ({
        title: nameOfDay(day, clock),
        links: ones.map((appointment) => ({
          href: appointmentPath(appointment),
          label: appointment.canceled
            ? html`<s><bdi>${titleOf(appointment)}</bdi></s>`
            : html`<bdi>${titleOf(appointment)}</bdi>`,
          hint: appointment.start && clockTimeOf(appointment.start, clock),
          isCurrent: appointment.id === visit.id('id') && appointment.occurrence === visit.query('occurrence'),
        })),
      }))
  })
}
