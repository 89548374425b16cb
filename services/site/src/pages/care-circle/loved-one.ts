import type { AddressedLovedOne } from '../../care-circle/read-loved-ones.ts'
import type { Household } from '../../household.ts'
import { type Html, html } from '../../html.ts'
import { type Page, roomPage } from '../../layout/page.ts'
import { copyable } from '../../parts/copyable.ts'
import { errorSummary } from '../../parts/error-summary.ts'
import { type FieldErrors, textField } from '../../parts/field.ts'
import { initialsBadge } from '../../parts/initials.ts'

export type LovedOneData = {
  household: Household
  lovedOne: AddressedLovedOne
  values: { name: string }
  errors: FieldErrors
}

/** One person who is cared for: their address, and, for those who may write, what can be changed. */
export function lovedOnePage({ household, lovedOne, values, errors }: LovedOneData): Page {
  const { name, position } = lovedOne
  return roomPage(
    { place: 'care-circle', household },
    {
      title: `${name}, in the care circle`,
      hasErrors: Object.keys(errors).length > 0,
      main: html`<p class="up"><a href="/care-circle">Care circle</a></p>
${errorSummary(errors)}
<h1 class="with-badge">${initialsBadge(name, position)}<bdi>${name}</bdi></h1>
${addressSection(lovedOne, household.canWrite)}
${household.canWrite && changes(lovedOne, values, errors)}`,
    },
  )
}

function addressSection({ id, name, address }: AddressedLovedOne, canWrite: boolean): Html {
  return html`<section aria-labelledby="address-heading">
<h2 id="address-heading">Their private address</h2>
${
  address
    ? html`${copyable({ id: 'address', text: address, what: `the address of ${name}`, look: 'large' })}
<p>Forward their mail to it, or give it to a clinic as the address for letters. Only your care circle sees what arrives.</p>
<p><a href="/inbox/${id}">See their mail</a></p>`
    : html`<p>There is none now: no mail can come in. What arrived before stays, and everybody can read it.</p>
${canWrite && html`<form method="post" action="/care-circle/loved-ones/${id}/address"><button>Get an address</button></form>`}`
}
</section>`
}

function changes({ id, name, address }: AddressedLovedOne, values: { name: string }, errors: FieldErrors): Html {
  return html`<section aria-labelledby="rename">
<h2 id="rename">What you call them</h2>
<form method="post" action="/care-circle/loved-ones/${id}" novalidate>
${textField({ name: 'name', label: 'Name', maxlength: 120, value: values.name, error: errors.name })}
<button class="second">Save the name</button>
</form>
</section>
<section class="aside" aria-labelledby="more">
<h2 id="more">More</h2>
<ul class="plain">
<li><a href="/care-circle/codes/new?for=${id}">Make a code for an agency that cares for <bdi>${name}</bdi></a></li>
${address && html`<li><a href="/care-circle/loved-ones/${id}/retire">Retire the address</a></li>`}
</ul>
</section>`
}
