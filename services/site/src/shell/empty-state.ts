import { type Html, html } from './html.ts'

export type EmptyState = {
  title: string
  text: string
  action?: { label: string; href: string }
}

/** Renders an empty state: what will appear here, and what to do next. */
export function emptyState({ title, text, action }: EmptyState): Html {
  return html`<div class="empty">
<h2>${title}</h2>
<p>${text}</p>
${action && html`<p><a class="button" href="${action.href}">${action.label}</a></p>`}
</div>`
}
