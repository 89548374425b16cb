import { trimEndOf } from '@family-inbox/service-kit/text/trim'
import { type Html, html, webAddress } from '../shell/html.ts'

const MAX_LINKS = 200
const ADDRESS = /https?:\/\/[^\s<>"']{1,2000}/gi

/** Turns web addresses in plain text into links that show their full target. */
export function linkedText(text: string): Html {
  const parts: (string | Html)[] = []
  let from = 0
  let links = 0
  for (const match of text.matchAll(ADDRESS)) {
    if (links === MAX_LINKS) break
    const address = trimEndOf(match[0], ').,;:!?]}')
    const href = webAddress(address)
    if (href === undefined) continue
    links += 1
    parts.push(
      text.slice(from, match.index),
      html`<a href="${href}" target="_blank" rel="noopener noreferrer nofollow">${address}</a>`,
    )
    from = match.index + address.length
  }
  parts.push(text.slice(from))
  return html`${parts}`
}
