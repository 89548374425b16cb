import { emptyState } from '../shell/empty-state.ts'
import { type Html, html } from '../shell/html.ts'
import { paging } from '../shell/paging.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { filterForm } from './filter-form.ts'
import { groupByTime } from './groups.ts'
import { inboxPath, isFiltered, listHref, parametersOf } from './list-query.ts'
import { mailRow } from './mail-row.ts'
import type { MailList } from './read-list.ts'

type ListPane = {
  list: MailList
  clock: ReaderClock
  /** `h2` on the page of a message. */
  heading: 'h1' | 'h2'
  openId?: string
}

/** The mail list with search and filters. inbox.js replaces elements by their ids. */
export function listPane({ list, clock, heading, openId }: ListPane): Html {
  const title = html`<bdi>${inboxTitle(list)}</bdi>`
  return html`<section class="pane list" aria-labelledby="inbox-title">
${heading === 'h1' ? html`<h1 id="inbox-title">${title}</h1>` : html`<h2 id="inbox-title">${title}</h2>`}
<div class="tools">
${searchForm(list)}
${filterForm(list, clock)}
</div>
<p class="unseen" role="status" id="mail-news"></p>
<div id="mail-list" data-live="${listHref(list.query)}">
${unreadLine(list)}
${groupedMail(list, clock, openId)}
</div>
</section>`
}

function groupedMail(list: MailList, clock: ReaderClock, openId: string | undefined): Html {
  const { query, entries, nextHref } = list
  if (entries.length === 0 && query.cursor === '') return emptyList(list)
  const groups = groupByTime(entries, ({ message }) => message?.receivedAt, clock)
  return html`${groups.map(
    ({ name, items }, index) => html`<section aria-labelledby="group-${index}">
<h2 class="when-group" id="group-${index}">${name}</h2>
<ol class="mails">${items.map((entry) => mailRow({ entry, list, clock, isOpen: entry.message?.id === openId }))}</ol>
</section>`,
  )}
${paging({
  firstHref: query.cursor === '' ? undefined : listHref(query, {}),
  nextHref,
  words: { first: 'Newest mail', next: 'Older mail' },
})}`
}

function unreadLine(list: MailList): Html | undefined {
  const { unread, query, entries } = list
  const newest = entries[0]?.message?.receivedAt
  if (isFiltered(query) && !query.unread) return undefined
  if (unread === 0 || newest === undefined || query.cursor !== '') return undefined
  const count = unread >= 100 ? 'More than 99' : `${unread}`
  return html`<form class="unread-line" method="post" action="/inbox/read">
<p><strong>${count} unread</strong>${!query.unread && html` <a href="${listHref(query, { unread: true })}">Show ${unread === 1 ? 'it' : 'them'}</a>`}</p>
<input type="hidden" name="for" value="${query.lovedOne?.id}">
<input type="hidden" name="seen" value="${newest.toISOString()}">
<button class="quiet">Mark all as read</button>
</form>`
}

function emptyList({ workspace, query }: MailList): Html {
  if (isFiltered(query))
    return emptyState({
      title: query.unread && !query.sealedWords ? 'No unread messages' : 'No messages found',
      text: query.sealedWords ? 'Try other words, or clear the search.' : 'Try other filters, or clear them.',
      action: { label: query.sealedWords ? 'Clear search' : 'Clear filters', href: inboxPath(query.lovedOne) },
    })
  const one = query.lovedOne ?? workspace.lovedOnes[0]
  if (one === undefined)
    return emptyState({
      title: 'Nobody is in your care circle yet',
      text: 'Add the person you care for. They get their own address, and mail sent to it appears here.',
      action: { label: 'Go to care circle', href: '/care-circle' },
    })
  return emptyState({
    title: 'No mail yet',
    text: 'Forward mail from doctors, pharmacies, and agencies. Everyone in your care circle sees it here.',
    action: { label: 'Set up forwarding', href: `/forwarding/${one.id}` },
  })
}

/** Submits by POST, so the words never appear in a URL (sealed-words.ts). Keeps the filters. */
function searchForm({ query, words }: MailList): Html {
  const { words: _, ...filters } = parametersOf(query)
  return html`<form class="search" method="post" action="/inbox/search" role="search">
<label class="unseen" for="words">Search this inbox</label>
<input id="words" name="words" type="search" value="${words}" maxlength="200" placeholder="Search mail" autocomplete="off" spellcheck="false">
<input type="hidden" name="for" value="${query.lovedOne?.id}">
${Object.entries(filters).map(([name, value]) => value !== '' && html`<input type="hidden" name="${name}" value="${value}">`)}
<button class="second">Search</button>
</form>`
}

export function inboxTitle({ workspace, query }: Pick<MailList, 'workspace' | 'query'>): string {
  const { lovedOnes } = workspace
  const one = query.lovedOne ?? (lovedOnes.length === 1 ? lovedOnes[0] : undefined)
  return one ? `${one.name}’s inbox` : 'All mail'
}
