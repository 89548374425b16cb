import type { ToolKey } from '@family-inbox/proto/auth/v1/auth'
import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { whenOf } from '../shell/moment.ts'
import type { Page } from '../shell/page.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { ASSISTANTS } from './settings-list.ts'
import { notFound, settingsPage } from './settings-page.ts'

export function showRevokeToolKey(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const request = { keyId: visit.id('id') }
    const { key } = await ctx.auth.getToolKey(request, asPerson(workspace.session, visit))
    if (key === undefined) throw notFound()
    if (key.revokedAt !== undefined) return { redirectTo: ASSISTANTS.href }
    return { page: revokeToolKeyPage({ workspace, clock: visit.clock, key }) }
  }
}

export function revokeToolKey(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    await ctx.auth.revokeToolKey({ keyId: visit.id('id') }, asPerson(workspace.session, visit))
    return { redirectTo: ASSISTANTS.href, flash: 'key-revoked' }
  }
}

type RevokeToolKeyData = { workspace: Workspace; clock: ReaderClock; key: ToolKey }

function revokeToolKeyPage({ workspace, clock, key: { id, name, lastUsedAt } }: RevokeToolKeyData): Page {
  return settingsPage({
    workspace,
    title: 'Disconnect this assistant?',
    back: ASSISTANTS,
    main: html`<h1>Disconnect <bdi>${name}</bdi>?</h1>
<p>Its tool key is revoked, and anything that uses it loses access immediately. Its past calls stay listed under <a href="/settings/agent-activity">Assistant activity</a>.</p>
<p class="hint">${lastUsedAt ? html`It was last used ${whenOf(lastUsedAt, clock)}.` : 'It was never used.'} You can’t restore a revoked key, but you can create a new one at any time.</p>
<form method="post" action="/settings/tool-keys/${id}/revoke"><div class="row"><button class="danger">Disconnect</button> <a href="${ASSISTANTS.href}">Go back</a></div></form>`,
  })
}
