import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import type { WorkspaceHandler } from '../shell/workspace.ts'
import { showActivity } from './activity-page.ts'
import type { ActivityLog } from './activity-rows.ts'
import { TOOLS } from './activity-words.ts'
import { ASSISTANTS } from './settings-list.ts'

const LOG: ActivityLog = {
  path: '/settings/agent-activity',
  title: 'Assistant activity',
  isOfPeople: false,
  back: ASSISTANTS,
  labels: Object.fromEntries(Object.entries(TOOLS).map(([name, { label }]) => [name, label])),
  intro: ({ name, members }, ofAll) =>
    html`<p>Everything ${ofAll ? 'your family’s assistants' : 'your assistants'} did in <bdi>${name}</bdi>, including refused calls. The content they read or wrote is not recorded.${
      ofAll &&
      members.length > 1 &&
      html` To stop other people’s, <a href="${ASSISTANTS.href}#everyone">pause everyone’s</a>.`
    }</p>`,
  empty: {
    text: 'Once you connect an assistant, every call it makes appears here, including refused ones.',
    action: { label: 'Connect an assistant', href: '/connect' },
  },
  noMatch: 'No call matches this filter.',
}

/** What assistants called. */
export function showAgentActivity(ctx: Context): WorkspaceHandler {
  return showActivity(ctx, LOG)
}
