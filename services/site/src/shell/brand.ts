import { type Html, html } from './html.ts'

export const PRODUCT = 'Family Care Inbox'

/** Renders the product name and its mark as a link. */
export function wordmark(href: string): Html {
  return html`<a class="wordmark" href="${href}"><svg class="mark" viewBox="0 0 24 24" width="28" height="28" aria-hidden="true"><path d="M3.5 10 12 3.5l8.5 6.5v9a1.5 1.5 0 0 1-1.5 1.5H5A1.5 1.5 0 0 1 3.5 19z"/><path d="m3.5 10 8.5 5.5 8.5-5.5"/></svg> ${PRODUCT}</a>`
}
