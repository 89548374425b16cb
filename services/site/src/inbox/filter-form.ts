import { SEARCH_HELP } from '@family-inbox/workspace-kit/search-terms'
import { type Html, html } from '../shell/html.ts'
import { inboxPath } from '../shell/inbox-paths.ts'
import { shortCalendarDay } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { CATEGORY_WORDS } from './category-words.ts'
import { isFiltered, type ListQuery, listHref, type MailList, parametersOf } from './mail-list.ts'

export function filterForm({ query, words }: MailList, clock: ReaderClock): Html {
  return html`<details class="mail-filter linked">
<summary>Filter</summary>
<form method="get" action="${inboxPath(query.lovedOne)}">
${query.sealedWords !== '' && html`<input type="hidden" name="words" value="${query.sealedWords}">`}
${query.view !== '' && html`<input type="hidden" name="view" value="${query.view}">`}
<div class="field"><label for="category">Category</label>
<select id="category" name="category"><option value="">All categories</option>${CATEGORY_WORDS.map(
    ({ name, label }) => html`<option value="${name}"${name === query.category && html` selected`}>${label}</option>`,
  )}</select></div>
<div class="dates">
${dateField('since', 'From', query.since)}
${dateField('until', 'To', query.until)}
</div>
${checkbox('unread', 'Unread only', query.unread)}
${checkbox('attachments', 'With attachments only', query.attachments)}
<div class="row"><button>Apply filters</button>${isFiltered(query) && html` <a href="${inboxPath(query.lovedOne)}">Clear filters</a>`}</div>
</form>
</details>
${isFiltered(query) && activeFilters(query, words, clock)}`
}

function activeFilters(query: ListQuery, words: string, clock: ReaderClock): Html {
  const category = CATEGORY_WORDS.find(({ name }) => name === query.category)
  const parts: [string | false | undefined, Partial<ListQuery>][] = [
    [words !== '' && `“${words}”`, { sealedWords: '' }],
    [category?.label, { category: '' }],
    [query.unread && 'Unread', { unread: false }],
    [query.attachments && 'With attachments', { attachments: false }],
    [query.since !== '' && `From ${shortCalendarDay(query.since, clock)}`, { since: '' }],
    [query.until !== '' && `To ${shortCalendarDay(query.until, clock)}`, { until: '' }],
  ]
  return html`<ul class="narrowed pills" aria-label="Active filters">${parts.map(
    ([label, without]) =>
      label &&
      html`<li><a href="${listHref(query, without)}"><bdi>${label}</bdi><span aria-hidden="true"> ×</span><span class="unseen">: clear</span></a></li>`,
  )}</ul>`
}

function dateField(name: string, label: string, value: string): Html {
  return html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" type="date" value="${value}"></div>`
}

function checkbox(name: string, label: string, isChecked: boolean): Html {
  return html`<label class="tick"><input type="checkbox" name="${name}" value="1"${isChecked && html` checked`}> <span>${label}</span></label>`
}

/** Submits by POST, so the words never appear in a URL (shell/sealed-words.ts). Keeps the filters. */
export function searchForm({ query, words, terms: { problems } }: MailList): Html {
  const { words: _, ...filters } = parametersOf(query)
  return html`<form class="search" method="post" action="/inbox/search" role="search">
<label class="unseen" for="words">Search this inbox</label>
<input id="words" name="words" type="search" value="${words}" maxlength="200" placeholder="Search mail" autocomplete="off" spellcheck="false" aria-describedby="search-help"${problems.length > 0 && html` aria-invalid="true"`}>
<input type="hidden" name="for" value="${query.lovedOne?.id}">
${Object.entries(filters).map(([name, value]) => value !== '' && html`<input type="hidden" name="${name}" value="${value}">`)}
<button class="second">Search</button>
${problems.length > 0 ? html`<p class="problem" id="search-help" role="alert">${problems.join(' ')}</p>` : html`<p class="search-help hint" id="search-help">${SEARCH_HELP}</p>`}
</form>`
}
