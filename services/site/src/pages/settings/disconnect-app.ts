import type { Grant } from '@family-inbox/proto/auth/v1/auth'
import type { Household } from '../../household.ts'
import { html } from '../../html.ts'
import type { Page } from '../../layout/page.ts'
import { settingsPage } from './settings-page.ts'

const BACK = { label: 'Connected apps', href: '/settings/connected-apps' }

/** Asks once more before an application is disconnected. */
export function disconnectAppPage({ household, grant }: { household: Household; grant: Grant }): Page {
  return settingsPage({
    household,
    title: 'Disconnect this app?',
    back: BACK,
    main: html`<h1>Disconnect <bdi>${grant.clientName || 'this app'}</bdi>?</h1>
<p>It is shut out at its very next call, on every device. What it has read until now may still be with it: ask there to have it deleted.</p>
<p class="hint">You can connect it again whenever you like.</p>
<form method="post" action="${BACK.href}/${grant.id}/disconnect"><div class="row"><button class="danger">Disconnect it</button> <a href="${BACK.href}">Keep it connected</a></div></form>`,
  })
}
