import type { Grant } from '@family-inbox/proto/auth/v1/auth'
import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import type { Page } from '../shell/page.ts'
import { asPerson } from '../shell/session.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { notFound, settingsPage } from './settings-page.ts'

/** Asks whether an application shall really be disconnected. */
export function showDisconnectApp(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const request = { grantId: visit.param('id').slice(0, 128) }
    const { grant } = await ctx.auth.getGrant(request, asPerson(workspace.session, visit))
    if (grant === undefined) throw notFound()
    return { page: disconnectAppPage({ workspace, grant }) }
  }
}

/** Disconnects an application of the reader's. */
export function disconnectApp(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    await ctx.auth.revokeGrant({ grantId: visit.param('id').slice(0, 128) }, asPerson(workspace.session, visit))
    return { redirectTo: '/settings/connected-apps', flash: 'app-disconnected' }
  }
}

const BACK = { label: 'Connected apps', href: '/settings/connected-apps' }

/** Asks once more before an application is disconnected. */
function disconnectAppPage({ workspace, grant }: { workspace: Workspace; grant: Grant }): Page {
  return settingsPage({
    workspace,
    title: 'Disconnect this app?',
    back: BACK,
    main: html`<h1>Disconnect <bdi>${grant.clientName || 'this app'}</bdi>?</h1>
<p>It is shut out at its very next call, on every device. What it has read until now may still be with it: ask there to have it deleted.</p>
<p class="hint">You can connect it again whenever you like.</p>
<form method="post" action="${BACK.href}/${grant.id}/disconnect"><div class="row"><button class="danger">Disconnect it</button> <a href="${BACK.href}">Keep it connected</a></div></form>`,
  })
}
