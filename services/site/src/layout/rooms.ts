import { type Html, html } from '../html.ts'
import { initialsBadge } from '../parts/initials.ts'
import type { Place, Room } from './page.ts'

const PLACES: { place: Place; label: string; path: string }[] = [
  { place: 'inbox', label: 'Inbox', path: '/inbox' },
  { place: 'timeline', label: 'Timeline', path: '/timeline' },
  { place: 'care-circle', label: 'Care circle', path: '/care-circle' },
  { place: 'settings', label: 'Settings', path: '/settings' },
]

/** The four words. Inbox and timeline stay with the loved one the reader is at. */
export function roomLinks({ place, whose }: Room): Html {
  const chosen = whose?.current ? `/${whose.current}` : ''
  return html`<nav class="rooms" aria-label="Main"><ul>${PLACES.map((one) => {
    const path = one.place === 'inbox' && chosen === '' ? '/' : one.path
    const href = one.place === 'inbox' || one.place === 'timeline' ? `${path}${chosen}` : path
    return html`<li><a href="${href}"${one.place === place && html` aria-current="page"`}>${one.label}</a></li>`
  })}</ul></nav>`
}

/** Whose care the page is about: everyone, or one of several. With one loved one there is nothing to choose. */
export function whoseLinks({ household, whose }: Room): Html | undefined {
  const { lovedOnes } = household
  if (whose === undefined || lovedOnes.length < 2) return undefined
  const mark = (id: string) => id === whose.current && html` aria-current="true"`
  return html`<nav class="whose" aria-label="Whose care"><ul>
<li><a href="${whose.hrefOf('')}"${mark('')}>Everyone</a></li>
${lovedOnes.map(
  ({ id, name, position }) =>
    html`<li><a href="${whose.hrefOf(id)}"${mark(id)}>${initialsBadge(name, position)}<bdi>${name}</bdi></a></li>`,
)}
</ul></nav>`
}
