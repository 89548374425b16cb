import type { AddressedLovedOne } from '../../care-circle/read-loved-ones.ts'
import { type Html, html } from '../../html.ts'
import { copyable } from '../../parts/copyable.ts'
import { initialsBadge } from '../../parts/initials.ts'

export type LovedOnesData = { lovedOnes: AddressedLovedOne[]; canWrite: boolean }

/** Who is cared for, and where their mail goes. */
export function lovedOnesSection({ lovedOnes, canWrite }: LovedOnesData): Html {
  return html`<section aria-labelledby="loved-ones">
<div class="heading"><h2 id="loved-ones">The people you care for</h2>${canWrite && html`<a class="button second" href="/care-circle/loved-ones/new">Add somebody</a>`}</div>
${
  lovedOnes.length > 0
    ? html`<ul class="entries">${lovedOnes.map((lovedOne) => lovedOneRow(lovedOne, canWrite))}</ul>
<p class="hint">Forward mail from doctors, pharmacies and agencies to these addresses. Everybody in your care circle then sees it here.</p>`
    : html`<p>Nobody yet. Each person you add gets a private address, and their mail is collected under it.</p>`
}
</section>`
}

function lovedOneRow({ id, name, position, address }: AddressedLovedOne, canWrite: boolean): Html {
  return html`<li class="with-badge">${initialsBadge(name, position)}
<div><a href="/care-circle/loved-ones/${id}"><strong><bdi>${name}</bdi></strong></a>
${
  address
    ? copyable({ id: `address-${id}`, text: address, what: `the address of ${name}` })
    : html`<p class="hint">No address${canWrite ? '. Open this to get one' : ' yet'}.</p>`
}</div></li>`
}
