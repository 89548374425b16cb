import type { ToolKey } from '@family-inbox/proto/auth/v1/auth'
import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { whenOf } from '../shell/moment.ts'
import type { Page } from '../shell/page.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { notFound, settingsPage } from './settings-page.ts'

/** Asks whether a key shall really end; one that has ended needs no question. */
export function showRevokeToolKey(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const request = { keyId: visit.param('id').slice(0, 128) }
    const { key } = await ctx.auth.getToolKey(request, asPerson(workspace.session, visit))
    if (key === undefined) throw notFound()
    if (key.revokedAt !== undefined) return { redirectTo: '/settings/tool-keys' }
    return { page: revokeToolKeyPage({ workspace, clock: visit.clock, key }) }
  }
}

/** Ends a key of the reader's. */
export function revokeToolKey(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    await ctx.auth.revokeToolKey({ keyId: visit.param('id').slice(0, 128) }, asPerson(workspace.session, visit))
    return { redirectTo: '/settings/tool-keys', flash: 'key-revoked' }
  }
}

const BACK = { label: 'Tool keys', href: '/settings/tool-keys' }

type RevokeToolKeyData = { workspace: Workspace; clock: ReaderClock; key: ToolKey }

/** Asks once more before a key ends. */
function revokeToolKeyPage({ workspace, clock, key: { id, name, lastUsedAt } }: RevokeToolKeyData): Page {
  return settingsPage({
    workspace,
    title: 'Revoke this key?',
    back: BACK,
    main: html`<h1>Revoke <bdi>${name}</bdi>?</h1>
<p>Whatever uses this key is shut out at its very next call. What it did stays listed in <a href="/settings/agent-activity">assistant activity</a>.</p>
<p class="hint">${lastUsedAt ? html`It was last used ${whenOf(lastUsedAt, clock)}.` : 'It was never used.'} A revoked key does not come back; you can make a new one at any time.</p>
<form method="post" action="${BACK.href}/${id}/revoke"><div class="row"><button class="danger">Revoke the key</button> <a href="${BACK.href}">Keep it</a></div></form>`,
  })
}
