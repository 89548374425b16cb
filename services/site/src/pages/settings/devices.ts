import type { Session } from '@family-inbox/proto/auth/v1/auth'
import type { Household } from '../../household.ts'
import { type Html, html } from '../../html.ts'
import type { ReaderClock } from '../../http/reader-clock.ts'
import type { Page } from '../../layout/page.ts'
import { dayOf, whenOf } from '../../parts/moment.ts'
import { paging, withQuery } from '../../parts/paging.ts'
import { settingsPage } from './settings-page.ts'

export type DevicesData = {
  household: Household
  clock: ReaderClock
  sessions: Session[]
  nextPageToken: string
  isFirstPage: boolean
}

const PATH = '/settings/devices'

/** Where the reader is signed in, this device said to be it; each can be signed out from here. */
export function devicesPage({ household, clock, sessions, nextPageToken, isFirstPage }: DevicesData): Page {
  return settingsPage({
    household,
    title: 'Devices',
    main: html`<h1>Devices</h1>
<p>You are signed in on these. If you do not know one of them, sign it out: it sees nothing from then on.</p>
<ul class="rows">${sessions.map((session) => row(session, household.session.sessionId, clock))}</ul>
${paging({
  firstHref: isFirstPage ? undefined : PATH,
  nextHref: nextPageToken === '' ? undefined : withQuery(PATH, { after: nextPageToken }),
  words: { first: 'Newest devices', next: 'Older devices' },
})}
<form class="panel" method="post" action="${PATH}/everywhere">
<h2>Lost a phone?</h2>
<p>Sign out everywhere, this device included. You then sign in again with a code or a passkey. Keys and connected apps are not touched.</p>
<button class="danger">Sign out everywhere</button>
</form>`,
  })
}

function row({ id, userAgent, createdAt, lastUsedAt }: Session, currentId: string, clock: ReaderClock): Html {
  const isThis = id === currentId
  return html`<li class="item"><div><h2>${userAgent}${isThis && html` <span class="tag">This device</span>`}</h2>
<p class="hint">Signed in ${createdAt && dayOf(createdAt, clock)} · ${lastUsedAt ? html`last used ${whenOf(lastUsedAt, clock)}` : 'not used since'}</p></div>
<form method="post" action="${PATH}"><input type="hidden" name="session" value="${id}"><button class="second">Sign out<span class="unseen"> ${userAgent}${isThis && ', this device'}</span></button></form></li>`
}
