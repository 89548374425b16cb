import type { Household } from '../household.ts'
import { type Html, html } from '../html.ts'
import { type Page, roomPage } from '../layout/page.ts'
import { errorSummary } from '../parts/error-summary.ts'
import { type FieldErrors, textField } from '../parts/field.ts'
import { initialsBadge } from '../parts/initials.ts'
import { roleWords } from '../parts/role.ts'

export type CareCircleData = {
  household: Household
  lovedOnes: { id: string; name: string; address?: string }[]
  connectUrl: string
  values: { name: string }
  errors: FieldErrors
}

/** Whose household this is, who is cared for, and where to send their mail. */
export function careCirclePage({ household, lovedOnes, connectUrl, values, errors }: CareCircleData): Page {
  const { canWrite } = household
  const { name: role, may } = roleWords(household.role)
  return roomPage(
    { place: 'care-circle', household },
    {
      title: `Care circle · ${household.name}`,
      hasErrors: Object.keys(errors).length > 0,
      main: html`${errorSummary(errors)}
<h1><bdi>${household.name}</bdi></h1>
<p>You are its ${role}. ${may}</p>
<section aria-labelledby="loved-ones">
<h2 id="loved-ones">The people you care for</h2>
${
  lovedOnes.length > 0
    ? html`<ul class="people">${lovedOnes.map((lovedOne, position) => lovedOneRow(lovedOne, position, canWrite))}</ul>
<p class="hint">Forward mail from doctors, pharmacies and agencies to these addresses. Everybody in your care circle then sees it here.</p>`
    : html`<p>Nobody yet. Each person you add gets a private address, and their mail is collected under it.</p>`
}
${canWrite && lovedOnes.length === 0 && addLovedOne(values.name, errors)}
</section>
<section aria-labelledby="assistants">
<h2 id="assistants">Your assistants</h2>
<p>Claude, ChatGPT and others can read this inbox for you, if you connect them. <a href="${connectUrl}">How to connect an assistant</a></p>
</section>`,
    },
  )
}

function lovedOneRow(
  { id, name, address }: CareCircleData['lovedOnes'][number],
  position: number,
  canWrite: boolean,
): Html {
  return html`<li>${initialsBadge(name, position)}
<div><h3><bdi>${name}</bdi></h3>
${
  address
    ? html`<p class="address"><bdi>${address}</bdi></p>`
    : html`<p class="hint">No address yet.</p>
${
  canWrite &&
  html`<form method="post" action="/loved-ones/${id}/address"><button class="second">Get the address<span class="unseen"> for ${name}</span></button></form>`
}`
}
</div></li>`
}

function addLovedOne(name: string, errors: FieldErrors): Html {
  return html`<form method="post" action="/loved-ones" novalidate>
${textField({ name: 'name', label: 'Who are you caring for?', maxlength: 120, value: name, error: errors.name })}
<button>Add them</button>
</form>`
}
