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

/** What is said where there is no mail: whether none came, or none fits; and the one thing to do. */
function nothingHere({ workspace, query }: MailList): Html {
  if (isFiltered(query))
    return emptyState({
      title: query.unread && !query.sealedWords ? 'Nothing unread' : 'Nothing found',
      text: 'No mail here fits what you asked for.',
      action: { label: 'Show everything', href: inboxPath(query.lovedOne) },
    })
  const one = query.lovedOne ?? workspace.lovedOnes[0]
  if (one === undefined)
    return emptyState({
      title: 'Nobody is in your care circle yet',
      text: 'Add the person you care for. They get an address of their own, and the mail sent there is collected here.',
      action: { label: 'Go to the care circle', href: '/care-circle' },
    })
  return emptyState({
    title: 'No mail yet',
    text: 'Forward mail from doctors, pharmacies and agencies, and everybody in your care circle sees it here.',
    action: { label: 'Set up forwarding', href: `/forwarding/${one.id}` },
  })
}

/** Asks for words. They are sent as a form and stand in no address (inbox/sealed-words.ts); the filters stay as they are. */
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

/** Whose inbox it is, in words; with one loved one it is theirs. */
export function inboxTitle({ workspace, query }: Pick<MailList, 'workspace' | 'query'>): string {
  const { lovedOnes } = workspace
  const one = query.lovedOne ?? (lovedOnes.length === 1 ? lovedOnes[0] : undefined)
  return one ? `${one.name}’s inbox` : 'Everyone’s inbox'
}
