import type { Grant } from '@family-inbox/proto/auth/v1/auth'
import type { Context } from '../context.ts'
import { emptyState } from '../shell/empty-state.ts'
import { type Html, html } from '../shell/html.ts'
import { dayOf, whenOf } from '../shell/moment.ts'
import type { Page } from '../shell/page.ts'
import { paging, withQuery } from '../shell/paging.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { scopeWords } from '../shell/scope.ts'
import { asPerson } from '../shell/session.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { settingsPage } from './settings-page.ts'

const PAGE_SIZE = 50

/** Shows the applications the reader has connected. */
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

/** The applications the reader has allowed to act for them in this household, and what each may do. */
function connectedAppsPage({ workspace, clock, grants, nextPageToken, isFirstPage }: ConnectedAppsData): Page {
  return settingsPage({
    workspace,
    title: 'Connected apps',
    main: html`<h1>Connected apps</h1>
${
  grants.length === 0 && isFirstPage
    ? emptyState({
        title: 'Nothing is connected',
        text: 'When you allow Claude, ChatGPT or another assistant to read this inbox for you, it is listed here, and you can end it here.',
        action: { label: 'Connect an assistant', href: '/connect' },
      })
    : html`<p>You allowed these to act for you in <bdi>${workspace.name}</bdi>. Nobody else in your family can use them in your name.</p>
<ul class="rows">${grants.map((grant) => row(grant, clock))}</ul>`
}
${paging({
  firstHref: isFirstPage ? undefined : PATH,
  nextHref: nextPageToken === '' ? undefined : withQuery(PATH, { after: nextPageToken }),
  words: { first: 'Newest apps', next: 'Older apps' },
})}`,
  })
}

function row({ id, clientName, scopes, createdAt, lastUsedAt }: Grant, clock: ReaderClock): Html {
  return html`<li class="item"><div><h2><bdi>${clientName || 'An app without a name'}</bdi></h2>
${grantedWords(scopes)}
<p class="hint">Connected ${createdAt && dayOf(createdAt, clock)} · ${lastUsedAt ? html`last used ${whenOf(lastUsedAt, clock)}` : 'not used yet'}</p></div>
<a class="button second" href="${PATH}/${id}/disconnect">Disconnect<span class="unseen"> ${clientName}</span></a></li>`
}

/** What an application may do, in a sentence for reading and one for writing. */
function grantedWords(scopes: string[]): Html {
  const words = scopes.map(scopeWords)
  const of = (kind: 'read' | 'write') => words.filter((one) => one.kind === kind).map(({ text }) => text)
  const [reads, writes] = [of('read'), of('write')]
  return html`${reads.length > 0 && html`<p>It can read ${list.format(reads)}.</p>`}
${writes.length > 0 && html`<p>It can ${list.format(writes)}.</p>`}`
}

const list = new Intl.ListFormat('en-GB', { type: 'conjunction' })
