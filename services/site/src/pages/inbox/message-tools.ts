import { type Html, html } from '../../html.ts'
import { CATEGORY_WORDS, categoryWords } from '../../inbox/category-words.ts'
import type { OpenMessageData } from './open-message.ts'

/** What else can be done with a message. Filing it elsewhere is for those who may write. */
export function messageTools({ list, open }: OpenMessageData): Html {
  const path = `/inbox/${open.lovedOne.id}/${open.message.message.id}`
  const current = categoryWords(open.message.message.category).name
  return html`<section class="message-tools" aria-label="More">
${
  list.household.canWrite &&
  html`<form class="filing" method="post" action="${path}/category">
<label for="filed">Kind of mail</label>
<select id="filed" name="category">${CATEGORY_WORDS.map(({ name, label }) => html`<option value="${name}"${name === current && html` selected`}>${label}</option>`)}</select>
<button class="second">Change</button>
</form>`
}
<form method="post" action="${path}/unread"><button class="quiet">Mark as unread</button></form>
<button class="quiet" type="button" data-print hidden>Print</button>
</section>`
}
