import { type Html, html } from '../../html.ts'
import type { ReaderClock } from '../../http/reader-clock.ts'
import { groupByTime } from '../../inbox/groups.ts'
import { inboxTitle } from '../../inbox/inbox-title.ts'
import { isFiltered, listHref } from '../../inbox/list-query.ts'
import type { MailList } from '../../inbox/read-list.ts'
import { paging } from '../../parts/paging.ts'
import { filterForm } from './filter-form.ts'
import { mailRow } from './mail-row.ts'
import { nothingHere } from './nothing-here.ts'
import { searchForm } from './search-form.ts'

export type ListPane = {
  list: MailList
  clock: ReaderClock
  /** `h2` where the page is about a message of the list. */
  heading: 'h1' | 'h2'
  /** The message that is open beside it. */
  openId?: string
}

/** The list of mail with what finds things in it. What our script renews stands in elements it knows by their ids. */
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
${mail(list, clock, openId)}
</div>
</section>`
}

function mail(list: MailList, clock: ReaderClock, openId: string | undefined): Html {
  const { query, entries, nextHref } = list
  if (entries.length === 0 && query.cursor === '') return nothingHere(list)
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

/** How much is new, and the one button that says it has all been seen. */
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
