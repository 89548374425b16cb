import { type Html, html } from '../html.ts'

/** A paper clip, beside a word that says the same. */
export function clip(): Html {
  return html`<svg class="clip" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><path d="m13 7.2-5.2 5.2a3.2 3.2 0 0 1-4.5-4.5l5.6-5.6a2.1 2.1 0 0 1 3 3l-5.5 5.5a1 1 0 0 1-1.5-1.5l4.9-4.9"/></svg>`
}
