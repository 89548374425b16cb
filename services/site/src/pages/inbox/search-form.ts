import { type Html, html } from '../../html.ts'
import { parametersOf } from '../../inbox/list-query.ts'
import type { MailList } from '../../inbox/read-list.ts'

/** Asks for words. They are sent as a form and stand in no address (inbox/sealed-words.ts); the filters stay as they are. */
export function searchForm({ query, words }: MailList): Html {
  const { words: _, ...filters } = parametersOf(query)
  return html`<form class="search" method="post" action="/inbox/search" role="search">
<label class="unseen" for="words">Search this inbox</label>
<input id="words" name="words" type="search" value="${words}" maxlength="200" placeholder="Search mail" autocomplete="off" spellcheck="false">
<input type="hidden" name="for" value="${query.lovedOne?.id}">
${Object.entries(filters).map(([name, value]) => value !== '' && html`<input type="hidden" name="${name}" value="${value}">`)}
<button class="second">Search</button>
</form>`
}
