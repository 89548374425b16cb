import type { Grant } from '@family-inbox/proto/auth/v1/auth'
import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import type { Page } from '../shell/page.ts'
import { asPerson } from '../shell/session.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { ASSISTANTS } from './settings-list.ts'
import { notFound, settingsPage } from './settings-page.ts'

export function showDisconnectApp(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const request = { grantId: visit.id('id') }
    const { grant } = await ctx.auth.getGrant(request, asPerson(workspace.session, visit))
    if (grant === undefined) throw notFound()
    return { page: disconnectAppPage({ workspace, grant }) }
  }
}

export function disconnectApp(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    await ctx.auth.revokeGrant({ grantId: visit.id('id') }, asPerson(workspace.session, visit))
    return { redirectTo: ASSISTANTS.href, flash: 'app-disconnected' }
  }
}

function disconnectAppPage({ workspace, grant }: { workspace: Workspace; grant: Grant }): Page {
  return settingsPage({
    workspace,
    title: 'Disconnect this app?',
    back: ASSISTANTS,
    main: html`<h1>Disconnect <bdi>${grant.clientName || 'this app'}</bdi>?</h1>
<p>It loses access immediately, on every device. It may keep what it has already read. To have that deleted, ask its provider.</p>
<p class="hint">You can connect it again at any time.</p>
<form method="post" action="/settings/connected-apps/${grant.id}/disconnect"><div class="row"><button class="danger">Disconnect</button> <a href="${ASSISTANTS.href}">Go back</a></div></form>`,
  })
}
