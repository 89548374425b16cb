import type { Grant } from '@family-inbox/proto/auth/v1/auth'
import type { Context } from '../context.ts'
import { accessWords } from '../shell/access-field.ts'
import { type Html, html } from '../shell/html.ts'
import { dayOf, whenOf } from '../shell/moment.ts'
import type { Page } from '../shell/page.ts'
import { emptyState, paging, withQuery } from '../shell/parts.ts'
import { scopeWords } from '../shell/permissions.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { notFound, settingsPage } from './settings-page.ts'

const PAGE_SIZE = 50

export function showConnectedApps(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const pageToken = visit.query('after')
    const request = { pageSize: PAGE_SIZE, pageToken }
    const { grants, nextPageToken } = await ctx.auth.listGrants(request, asPerson(workspace.session, visit))
    const isFirstPage = pageToken === ''
    return { page: connectedAppsPage({ workspace, clock: visit.clock, grants, nextPageToken, isFirstPage }) }
  }
}

type ConnectedAppsData = {
  workspace: Workspace
  clock: ReaderClock
  grants: Grant[]
  nextPageToken: string
  isFirstPage: boolean
}

const PATH = '/settings/connected-apps'

function connectedAppsPage({ workspace, clock, grants, nextPageToken, isFirstPage }: ConnectedAppsData): Page {
  return settingsPage({
    workspace,
    title: 'Connected apps',
    main: html`<h1>Connected apps</h1>
${
  grants.length === 0 && isFirstPage
    ? emptyState({
        title: 'No connected apps',
        text: 'When you connect Claude, ChatGPT or another assistant, it appears here, and you can disconnect it here.',
        action: { label: 'Connect an assistant', href: '/connect' },
      })
    : html`<p>These apps can act for you in <bdi>${workspace.name}</bdi>. Nobody else in your family can use them in your name.</p>
<ul class="rows">${grants.map((grant) => row(grant, clock))}</ul>`
}
${paging({
  firstHref: isFirstPage ? undefined : PATH,
  nextHref: nextPageToken === '' ? undefined : withQuery(PATH, { after: nextPageToken }),
  words: { first: 'Newest apps', next: 'Older apps' },
})}`,
  })
}

function row({ id, clientName, scopes, createdAt, lastUsedAt, access, pausedAt }: Grant, clock: ReaderClock): Html {
  return html`<li class="item"><div><h2><bdi>${clientName || 'Unnamed app'}</bdi></h2>
${grantedWords(scopes)}
<p>${pausedAt ? html`<strong>Paused</strong>` : canWrite(scopes) ? accessWords(access) : 'Read only'} · <a href="${PATH}/${id}">Change or pause<span class="unseen"> ${clientName}</span></a></p>
<p class="hint">Connected ${createdAt && dayOf(createdAt, clock)} · ${lastUsedAt ? html`last used ${whenOf(lastUsedAt, clock)}` : 'not used yet'}</p></div>
<a class="button second" href="${PATH}/${id}/disconnect">Disconnect<span class="unseen"> ${clientName}</span></a></li>`
}

/** Without the scope it can only read, whatever was chosen for it. */
export function canWrite(scopes: string[]): boolean {
  return scopes.some((scope) => scopeWords(scope).kind === 'write')
}

function grantedWords(scopes: string[]): Html {
  const words = scopes.map(scopeWords)
  return html`<ul class="granted">${words.map(({ kind, text }) => html`<li>It can ${kind === 'read' && 'read '}${text}.</li>`)}</ul>`
}

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
<form method="post" action="${BACK.href}/${grant.id}/disconnect"><div class="row"><button class="danger">Disconnect</button> <a href="${BACK.href}">Go back</a></div></form>`,
  })
}
