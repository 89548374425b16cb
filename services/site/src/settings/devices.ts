import type { Session } from '@family-inbox/proto/auth/v1/auth'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { dayOf, whenOf } from '../shell/moment.ts'
import type { Page } from '../shell/page.ts'
import { paging, withQuery } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { notFound, settingsPage } from './settings-page.ts'

const PAGE_SIZE = 50

export function showDevices(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const pageToken = visit.query('after')
    const request = { pageSize: PAGE_SIZE, pageToken }
    const { sessions, nextPageToken } = await ctx.auth.listSessions(request, asPerson(workspace.session, visit))
    const isFirstPage = pageToken === ''
    return { page: devicesPage({ workspace, clock: visit.clock, sessions, nextPageToken, isFirstPage }) }
  }
}

export function signOutDevice(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    const sessionId = visit.field('session').slice(0, 128)
    // To auth, an empty id means all sessions.
    if (sessionId === '') throw notFound()
    await ctx.auth.revokeSessions({ sessionId }, asPerson(session, visit))
    if (sessionId === session.sessionId) return { redirectTo: '/signed-out', cookies: [{ name: 'session' }] }
    return { redirectTo: '/settings/devices', flash: 'device-signed-out' }
  }
}

/** Ends all of the reader's sessions, this one included, and disconnects their assistants if they chose that. */
export function signOutEverywhere(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    const disconnectAssistants = visit.field('assistants') === 'disconnect'
    await ctx.auth.revokeSessions({ sessionId: '', disconnectAssistants }, asPerson(session, visit))
    const redirectTo = disconnectAssistants ? '/signed-out?assistants=disconnected' : '/signed-out'
    return { redirectTo, cookies: [{ name: 'session' }] }
  }
}

type DevicesData = {
  workspace: Workspace
  clock: ReaderClock
  sessions: Session[]
  nextPageToken: string
  isFirstPage: boolean
}

const PATH = '/settings/devices'

function devicesPage({ workspace, clock, sessions, nextPageToken, isFirstPage }: DevicesData): Page {
  return settingsPage({
    workspace,
    title: 'Devices',
    main: html`<h1>Devices</h1>
<p>You are signed in on these devices. If you don’t recognize one, sign it out. It loses access immediately.</p>
<ul class="rows">${sessions.map((session) => row(session, workspace.session.sessionId, clock))}</ul>
${paging({
  firstHref: isFirstPage ? undefined : PATH,
  nextHref: nextPageToken === '' ? undefined : withQuery(PATH, { after: nextPageToken }),
  words: { first: 'Newest devices', next: 'Older devices' },
})}
<form class="panel" method="post" action="${PATH}/everywhere">
<h2>Lost a device?</h2>
<p>Sign out everywhere, including this device. You can sign in again with a code or a passkey.</p>
<label class="tick"><input type="checkbox" name="assistants" value="disconnect"> <span>And disconnect all my assistants<span class="hint">Your tool keys and connected apps lose access in every family. Otherwise they keep working.</span></span></label>
<p class="hint">Calendars keep reading your <a href="/appointments/feeds">calendar addresses</a> until you revoke them.</p>
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
