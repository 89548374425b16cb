import { type Html, html } from './html.ts'

export type EmptyState = {
  title: string
  /** What will be here, in a sentence or two. */
  text: string
  /** The one thing to do. */
  action?: { label: string; href: string }
}

/** What stands where nothing is yet: what will be here, and the one thing to do. */
export function emptyState({ title, text, action }: EmptyState): Html {
  return html`<div class="empty">
<h2>${title}</h2>
<p>${text}</p>
${action && html`<p><a class="button" href="${action.href}">${action.label}</a></p>`}
</div>`
}
