import { type Html, html } from './html.ts'

type Paging = {
  /** Undefined on the first page. */
  firstHref?: string
  /** Undefined on the last page. */
  nextHref?: string
  words: { first: string; next: string }
}

/** Renders links to the first and the next page; cursors cannot go back one page. */
export function paging({ firstHref, nextHref, words }: Paging): Html | undefined {
  if (firstHref === undefined && nextHref === undefined) return undefined
  return html`<nav class="paging" aria-label="Pages">
${firstHref && html`<a href="${firstHref}">${words.first}</a>`}
${nextHref && html`<a class="button second" href="${nextHref}" rel="next">${words.next}</a>`}
</nav>`
}

/** Adds the non-empty query parameters to a path. */
export function withQuery(path: string, parameters: Record<string, string | undefined>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value) query.set(name, value)
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}
