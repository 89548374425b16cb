import { type Html, html } from './html.ts'

export type Paging = {
  /** Where the list begins; given on every page but the first. */
  firstHref?: string
  /** Where it goes on; given on every page but the last. */
  nextHref?: string
  /** What the links say, such as “Newest mail” and “Older mail”. */
  words: { first: string; next: string }
}

/** The way through a list that is longer than a page, which goes on but not back: to what follows, and to the beginning. */
export function paging({ firstHref, nextHref, words }: Paging): Html | undefined {
  if (firstHref === undefined && nextHref === undefined) return undefined
  return html`<nav class="paging" aria-label="Pages">
${firstHref && html`<a href="${firstHref}">${words.first}</a>`}
${nextHref && html`<a class="button second" href="${nextHref}" rel="next">${words.next}</a>`}
</nav>`
}

/** An address with query parameters; those that are empty or undefined are left out. */
export function withQuery(path: string, parameters: Record<string, string | undefined>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value) query.set(name, value)
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}
