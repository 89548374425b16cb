import type { MessageAside } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { dayOf, whenOf } from '../shell/moment.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { emptyState, paging, withQuery } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import { requireWriter, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { asidePath, PLACES, type PlaceName } from './places.ts'

const PAGE_SIZE = 50

/** The mail in Junk or Deleted, moved last first. */
export function showAside(ctx: Context, name: PlaceName): WorkspaceHandler {
  return async (visit, workspace) => {
    if (name === 'deleted') requireWriter(workspace)
    const pageToken = visit.query('after').slice(0, 1000)
    const request = { place: PLACES[name].place, pageSize: PAGE_SIZE, pageToken }
    const { messages, nextPageToken } = await ctx.inbox.listMessagesAside(request, asPerson(workspace.session, visit))
    const isFirstPage = pageToken === ''
    return { page: asidePage({ name, workspace, clock: visit.clock, messages, nextPageToken, isFirstPage }) }
  }
}

type AsideData = {
  name: PlaceName
  workspace: Workspace
  clock: ReaderClock
  messages: MessageAside[]
  nextPageToken: string
  isFirstPage: boolean
}

function asidePage({ name, workspace, clock, messages, nextPageToken, isFirstPage }: AsideData): Page {
  const { label, hint, empty } = PLACES[name]
  return sectionPage(
    { id: 'inbox', workspace },
    {
      title: label,
      main: html`<p class="up"><a href="/">Back to inbox</a></p>
<h1>${label}</h1>
${
  messages.length === 0 && isFirstPage
    ? emptyState({ ...empty, action: { label: 'Go to inbox', href: '/' } })
    : html`<p>${hint}</p>
<ul class="rows">${messages.map((message) => row(name, message, workspace, clock))}</ul>`
}
${paging({
  firstHref: isFirstPage ? undefined : `/${name}`,
  nextHref: nextPageToken === '' ? undefined : withQuery(`/${name}`, { after: nextPageToken }),
  words: { first: 'Moved last', next: 'Moved earlier' },
})}
${name === 'junk' && html`<p class="page-end"><a href="/settings/blocked-senders">Blocked senders</a></p>`}`,
    },
  )
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
