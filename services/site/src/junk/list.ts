import type { MessageAside } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { dayOf, whenOf } from '../shell/moment.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { emptyState, paging, withQuery } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { openWords, readerOf, sealWords } from '../shell/sealed-words.ts'
import { asPerson } from '../shell/session.ts'
import { requireWriter, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { asidePath, PLACES, type PlaceName } from './places.ts'

const PAGE_SIZE = 50
const MAX_WORDS = 200

/** The mail in Junk or Deleted, moved last first. */
export function showAside(ctx: Context, name: PlaceName): WorkspaceHandler {
  return async (visit, workspace) => {
    if (name === 'deleted') requireWriter(workspace)
    const pageToken = visit.query('after').slice(0, 1000)
    const sealedWords = visit.query('words').slice(0, 2000)
    const search = sealedWords === '' ? '' : openWords(sealedWords, readerOf(ctx, visit, workspace))
    const request = { place: PLACES[name].place, pageSize: PAGE_SIZE, pageToken, search }
    const { messages, nextPageToken } = await ctx.inbox.listMessagesAside(request, asPerson(workspace.session, visit))
    const isFirstPage = pageToken === ''
    const found = { messages, nextPageToken, isFirstPage, search, sealedWords }
    return { page: asidePage({ name, workspace, clock: visit.clock, ...found }) }
  }
}

/** Redirects to what was found. Its URL holds the words encrypted. */
export function searchAside(ctx: Context, name: PlaceName): WorkspaceHandler {
  return async (visit, workspace) => {
    if (name === 'deleted') requireWriter(workspace)
    const words = visit.field('words').trim().slice(0, MAX_WORDS)
    const sealed = words === '' ? undefined : sealWords(words, readerOf(ctx, visit, workspace))
    return { redirectTo: withQuery(`/${name}`, { words: sealed }) }
  }
}

type AsideData = {
  name: PlaceName
  workspace: Workspace
  clock: ReaderClock
  messages: MessageAside[]
  nextPageToken: string
  isFirstPage: boolean
  search: string
  sealedWords: string
}

function asidePage(data: AsideData): Page {
  const { name, workspace, clock, messages, nextPageToken, isFirstPage, search, sealedWords } = data
  const { label, hint, empty } = PLACES[name]
  const words = search === '' ? undefined : sealedWords
  return sectionPage(
    { id: 'inbox', workspace },
    {
      title: label,
      main: html`<p class="up"><a href="/">Back to inbox</a></p>
<h1>${label}</h1>
${
  messages.length === 0 && isFirstPage && search === ''
    ? emptyState({ ...empty, action: { label: 'Go to inbox', href: '/' } })
    : html`<p>${hint}</p>
${searchForm(name, search)}
${messages.length === 0 ? nothingFound(name, nextPageToken !== '') : html`<ul class="rows">${messages.map((message) => row(name, message, workspace, clock))}</ul>`}`
}
${paging({
  firstHref: isFirstPage ? undefined : withQuery(`/${name}`, { words }),
  nextHref: nextPageToken === '' ? undefined : withQuery(`/${name}`, { words, after: nextPageToken }),
  words: { first: 'Moved last', next: 'Moved earlier' },
})}
${name === 'junk' && html`<p class="page-end"><a href="/settings/blocked-senders">Blocked senders</a></p>`}`,
    },
  )
}

/** Submits by POST, so the words never appear in a URL (shell/sealed-words.ts). */
function searchForm(name: PlaceName, search: string): Html {
  const { label } = PLACES[name]
  return html`<form class="row" method="post" action="/${name}/search" role="search">
<label class="unseen" for="words">Search ${label}</label>
<input id="words" name="words" type="search" value="${search}" maxlength="${MAX_WORDS}" placeholder="Search ${label}" autocomplete="off" spellcheck="false">
<button class="second">Search</button>${search !== '' && html` <a href="/${name}">Clear search</a>`}
</form>`
}

function nothingFound(name: PlaceName, hasMore: boolean): Html {
  const { label } = PLACES[name]
  return html`<p role="status">${hasMore ? 'Nothing found so far. What was moved earlier is on the next page.' : `No messages found in ${label}.`}</p>`
}

function row(name: PlaceName, message: MessageAside, workspace: Workspace, clock: ReaderClock): Html {
  const { lovedOneId, sender, subject, preview, messages, movedBy, movedAt, purgeAt } = message
  const lovedOne = workspace.lovedOnes.find(({ id }) => id === lovedOneId)
  const path = asidePath(name, message)
  return html`<li class="item"><div><h2><a href="${path}"><bdi>${subject || 'No subject'}</bdi></a>${messages > 1 && html` <span class="tag">${messages} messages</span>`}</h2>
<p><bdi>${sender?.name || sender?.address}</bdi>${sender?.name && html` <span class="hint"><bdi>${sender.address}</bdi></span>`}</p>
<p class="hint" dir="auto">${preview}</p>
<p class="hint">${lovedOne && workspace.lovedOnes.length > 1 && html`For <bdi>${lovedOne.name}</bdi> · `}${movedBy === '' ? 'Kept out by your filter' : html`Moved by <bdi>${movedBy}</bdi>`}${movedAt && html`, ${whenOf(movedAt, clock)}`}${purgeAt && html` · Deleted for good on ${dayOf(purgeAt, clock)}`}</p></div>
${workspace.canWrite && html`<form method="post" action="${path}/restore"><button class="second">Put back<span class="unseen"> <bdi>${subject}</bdi></span></button></form>`}</li>\n`
}
