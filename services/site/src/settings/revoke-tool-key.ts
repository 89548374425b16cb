import type { ToolKey } from '@family-inbox/proto/auth/v1/auth'
import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { whenOf } from '../shell/moment.ts'
import type { Page } from '../shell/page.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { notFound, settingsPage } from './settings-page.ts'

/** Asks for confirmation before revoking a key, unless it is already revoked. */
export function showRevokeToolKey(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const request = { keyId: visit.param('id').slice(0, 128) }
    const { key } = await ctx.auth.getToolKey(request, asPerson(workspace.session, visit))
    if (key === undefined) throw notFound()
    if (key.revokedAt !== undefined) return { redirectTo: '/settings/tool-keys' }
    return { page: revokeToolKeyPage({ workspace, clock: visit.clock, key }) }
  }
}

/** Revokes one of the reader's keys. */
export function revokeToolKey(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    await ctx.auth.revokeToolKey({ keyId: visit.param('id').slice(0, 128) }, asPerson(workspace.session, visit))
    return { redirectTo: '/settings/tool-keys', flash: 'key-revoked' }
  }
}

const BACK = { label: 'Tool keys', href: '/settings/tool-keys' }

type RevokeToolKeyData = { workspace: Workspace; clock: ReaderClock; key: ToolKey }

function revokeToolKeyPage({ workspace, clock, key: { id, name, lastUsedAt } }: RevokeToolKeyData): Page {
  return settingsPage({
    workspace,
    title: 'Revoke this key?',
    back: BACK,
    main: html`<h1>Revoke <bdi>${name}</bdi>?</h1>
<p>Anything that uses this key loses access immediately. Its past calls stay listed under <a href="/settings/agent-activity">Assistant activity</a>.</p>
<p class="hint">${lastUsedAt ? html`It was last used ${whenOf(lastUsedAt, clock)}.` : 'It was never used.'} You can’t restore a revoked key, but you can create a new one at any time.</p>
<form method="post" action="${BACK.href}/${id}/revoke"><div class="row"><button class="danger">Revoke key</button> <a href="${BACK.href}">Cancel</a></div></form>`,
  })
}
