import type { MailDraft } from '@family-inbox/proto/inbox/v1/inbox'
import { type Html, html } from '../shell/html.ts'
import { inboxPath } from '../shell/inbox-paths.ts'
import { daysBetween, monthName } from '../shell/moment.ts'
import { emptyState, paging, withQuery } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { waitingLine } from '../shell/waiting-line.ts'
import { filterForm, searchForm } from './filter-form.ts'
import { draftsLine } from './mail-draft.ts'
import { isFiltered, listHref, type MailList, tabHref } from './mail-list.ts'
import { conversationOf, mailRow } from './mail-row.ts'
import { EMPTY_VIEWS, viewTabs } from './view-tabs.ts'

type ListPane = {
  list: MailList
  clock: ReaderClock
  /** `h2` on the page of a message. */
  heading: 'h1' | 'h2'
  openId?: string
  drafts?: readonly MailDraft[]
}

/** The mail list with search and filters. inbox.js replaces elements by their ids. */
export function listPane({ list, clock, heading, openId, drafts = [] }: ListPane): Html {
  const title = html`<bdi>${inboxTitle(list)}</bdi>`
  return html`<section class="pane list" aria-labelledby="inbox-title">
${heading === 'h1' ? html`<h1 id="inbox-title">${title}</h1>` : html`<h2 id="inbox-title">${title}</h2>`}
<div class="tools">
<a class="search-open" href="#words"><svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true"><path d="M11 11l4 4M12.5 7a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0z"/></svg> Search</a>
${searchForm(list)}
${filterForm(list, clock)}
${list.workspace.canWrite && writeLink(list.query)}
</div>
<p class="unseen" role="status" id="mail-news"></p>
${draftsLine(drafts)}
<div id="mail-list" data-live="${listHref(list.query)}" data-as-of="${list.asOf ?? ''}">
${waitingLine({ replies: list.waiting, invitations: list.workspace.waitingInvitations })}
${viewTabs(list.query.view, list.counts, (tab) => tabHref(list.query, tab))}
${unreadLine(list)}
${groupedMail(list, clock, openId)}
</div>
</section>`
}

/** On a phone, the pen alone. */
function writeLink({ lovedOne }: MailList['query']): Html {
  const href = withQuery('/inbox/write', lovedOne ? { for: lovedOne.id } : {})
  return html`<a class="write" href="${href}" aria-label="Write"><svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true"><path d="M10.5 2.5l3 3-8 8-3.5.5.5-3.5zM9 4l3 3"/></svg> <span>Write</span></a>`
}

function groupedMail(list: MailList, clock: ReaderClock, openId: string | undefined): Html {
  const { query, entries, nextHref } = list
  if (entries.length === 0 && query.cursor === '')
    return html`${emptyList(list)}${list.workspace.lovedOnes.length > 0 && elsewhere(list)}`
  const groups = groupByTime(entries, ({ message }) => message?.receivedAt, clock)
  return html`${groups.map(
    ({ name, items }, index) => html`<section aria-labelledby="group-${index}">
<h2 class="when-group" id="group-${index}">${name}</h2>
<ol class="mails">${items.map((entry) => mailRow({ entry, list, clock, isOpen: openId !== undefined && conversationOf(entry) === openId }))}</ol>
</section>`,
  )}
${paging({
  firstHref: query.cursor === '' ? undefined : listHref(query, {}),
  nextHref,
  words: { first: 'Newest mail', next: 'Older mail' },
})}
${elsewhere(list)}`
}

/** Where the mail is that the list leaves out, and what else the family keeps about one loved one. */
function elsewhere({ workspace, query }: MailList): Html {
  const one = onlyLovedOne({ workspace, query })
  return html`<p class="elsewhere hint">${one && html`<a href="/emergency-sheets/${one.id}">Emergency sheet</a> · `}<a href="/junk">Junk</a>${workspace.canWrite && html` · <a href="/deleted">Deleted</a>`}</p>`
}

function unreadLine(list: MailList): Html | undefined {
  const { unread, query, entries } = list
  const newest = entries[0]?.message?.receivedAt
  if (query.view !== '' || (isFiltered(query) && !query.unread)) return undefined
  if (unread === 0 || newest === undefined || query.cursor !== '') return undefined
  const count = unread >= 100 ? 'More than 99' : `${unread}`
  return html`<form class="unread-line" method="post" action="/inbox/read">
<p><strong>${count} unread</strong>${!query.unread && html` <a href="${listHref(query, { unread: true })}">Show ${unread === 1 ? 'it' : 'them'}</a>`}</p>
<input type="hidden" name="for" value="${query.lovedOne?.id}">
<input type="hidden" name="seen" value="${newest.toISOString()}">
<button class="quiet">Mark all as read</button>
</form>`
}

function emptyList({ workspace, query, terms: { problems } }: MailList): Html {
  if (problems.length > 0)
    return emptyState({
      title: 'This search needs a change',
      text: 'See the note below the search field, or clear the search.',
      action: { label: 'Clear search', href: inboxPath(query.lovedOne) },
    })
  if (isFiltered(query))
    return emptyState({
      title: query.unread && !query.sealedWords ? 'No unread messages' : 'No messages found',
      text: query.sealedWords ? 'Try other words, or clear the search.' : 'Try other filters, or clear them.',
      action: { label: query.sealedWords ? 'Clear search' : 'Clear filters', href: inboxPath(query.lovedOne) },
    })
  if (query.view !== '')
    return emptyState({
      ...EMPTY_VIEWS[query.view],
      action: { label: 'Show all mail', href: inboxPath(query.lovedOne) },
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

export function inboxTitle({ workspace, query }: Pick<MailList, 'workspace' | 'query'>): string {
  const one = onlyLovedOne({ workspace, query })
  return one ? `${one.name}’s inbox` : 'All mail'
}

function onlyLovedOne({ workspace: { lovedOnes }, query }: Pick<MailList, 'workspace' | 'query'>) {
  return query.lovedOne ?? (lovedOnes.length === 1 ? lovedOnes[0] : undefined)
}

export type Group<Item> = { name: string; items: Item[] }

/** Groups items, newest first, into Today, Yesterday, This week, and months of the reader's time zone. */
export function groupByTime<Item>(
  items: readonly Item[],
  timeOf: (item: Item) => Date | undefined,
  clock: ReaderClock,
): Group<Item>[] {
  const groups: Group<Item>[] = []
  for (const item of items) {
    const name = nameOf(timeOf(item), clock)
    const last = groups.at(-1)
    if (last?.name === name) last.items.push(item)
    else groups.push({ name, items: [item] })
  }
  return groups
}

function nameOf(moment: Date | undefined, clock: ReaderClock): string {
  if (moment === undefined) return 'No date'
  const days = daysBetween(moment, clock.now, clock)
  if (days <= 0) return 'Today'
  if (days === 1) return 'Yesterday'
  return days < 7 ? 'This week' : monthName(moment, clock)
}
