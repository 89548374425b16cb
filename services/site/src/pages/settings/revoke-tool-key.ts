import type { ToolKey } from '@family-inbox/proto/auth/v1/auth'
import type { Household } from '../../household.ts'
import { html } from '../../html.ts'
import type { ReaderClock } from '../../http/reader-clock.ts'
import type { Page } from '../../layout/page.ts'
import { whenOf } from '../../parts/moment.ts'
import { settingsPage } from './settings-page.ts'

const BACK = { label: 'Tool keys', href: '/settings/tool-keys' }

export type RevokeToolKeyData = { household: Household; clock: ReaderClock; key: ToolKey }

/** Asks once more before a key ends. */
export function revokeToolKeyPage({ household, clock, key: { id, name, lastUsedAt } }: RevokeToolKeyData): Page {
  return settingsPage({
    household,
    title: 'Revoke this key?',
    back: BACK,
    main: html`<h1>Revoke <bdi>${name}</bdi>?</h1>
<p>Whatever uses this key is shut out at its very next call. What it did stays listed in <a href="/settings/agent-activity">assistant activity</a>.</p>
<p class="hint">${lastUsedAt ? html`It was last used ${whenOf(lastUsedAt, clock)}.` : 'It was never used.'} A revoked key does not come back; you can make a new one at any time.</p>
<form method="post" action="${BACK.href}/${id}/revoke"><div class="row"><button class="danger">Revoke the key</button> <a href="${BACK.href}">Keep it</a></div></form>`,
  })
}
