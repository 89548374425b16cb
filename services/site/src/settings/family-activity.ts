import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import type { WorkspaceHandler } from '../shell/workspace.ts'
import { showActivity } from './activity-page.ts'
import type { ActivityLog } from './activity-rows.ts'
import { ACT_WORDS } from './people-words.ts'
import { ASSISTANTS, FAMILY_ACTIVITY } from './settings-list.ts'

const logOf = (keptDays: number): ActivityLog => ({
  path: FAMILY_ACTIVITY.href,
  title: FAMILY_ACTIVITY.label,
  isOfPeople: true,
  labels: Object.fromEntries(Object.entries(ACT_WORDS).map(([name, { label }]) => [name, label])),
  intro: ({ name }, ofAll) =>
    html`<p>Who opened, printed, downloaded, shared, and changed what in <bdi>${name}</bdi> in the last ${keptDays} days. ${
      ofAll
        ? 'You see everyone’s, because you are the owner. Others see their own.'
        : 'You see your own. The owner of your family sees everyone’s.'
    } It doesn’t record what messages say. What assistants did is under <a href="${ASSISTANTS.href}">${ASSISTANTS.label}</a>.</p>`,
  empty: {
    text: 'When somebody opens or shares a message, it appears here.',
    action: { label: 'Go to inbox', href: '/' },
  },
  noMatch: 'Nothing matches this filter.',
})

/** What people did on our pages. */
export function showFamilyActivity(ctx: Context): WorkspaceHandler {
  return showActivity(ctx, logOf(ctx.config.limits.callsKeptDays))
}
