import type { Grant } from '@family-inbox/proto/auth/v1/auth'
import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import type { Page } from '../shell/page.ts'
import { asPerson } from '../shell/session.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { notFound, settingsPage } from './settings-page.ts'

/** Asks for confirmation before disconnecting an app. */
export function showDisconnectApp(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const request = { grantId: visit.param('id').slice(0, 128) }
    const { grant } = await ctx.auth.getGrant(request, asPerson(workspace.session, visit))
    if (grant === undefined) throw notFound()
    return { page: disconnectAppPage({ workspace, grant }) }
  }
}

/** Disconnects one of the reader's apps. */
export function disconnectApp(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    await ctx.auth.revokeGrant({ grantId: visit.param('id').slice(0, 128) }, asPerson(workspace.session, visit))
    return { redirectTo: '/settings/connected-apps', flash: 'app-disconnected' }
  }
}

const BACK = { label: 'Connected apps', href: '/settings/connected-apps' }

function disconnectAppPage({ workspace, grant }: { workspace: Workspace; grant: Grant }): Page {
  return settingsPage({
    workspace,
    title: 'Disconnect this app?',
    back: BACK,
    main: html`<h1>Disconnect <bdi>${grant.clientName || 'this app'}</bdi>?</h1>
<p>It loses access immediately, on every device. It may keep what it has already read. To have that deleted, ask its provider.</p>
<p class="hint">You can connect it again at any time.</p>
<form method="post" action="${BACK.href}/${grant.id}/disconnect"><div class="row"><button class="danger">Disconnect</button> <a href="${BACK.href}">Cancel</a></div></form>`,
  })
}
