import type { Person } from '../../care-circle/read-circle.ts'
import { type Html, html } from '../../html.ts'
import { roleWords } from '../../parts/role.ts'

export type PeopleData = { people: Person[]; canWrite: boolean }

/** The people of the care circle, with what each can do. */
export function peopleSection({ people, canWrite }: PeopleData): Html {
  return html`<section aria-labelledby="people">
<div class="heading"><h2 id="people">People</h2>${canWrite && html`<a class="button second" href="/care-circle/invite">Invite somebody</a>`}</div>
<ul class="entries">${people.map(personRow)}</ul>
${people.length === 1 && canWrite && html`<p class="hint">Only you so far. Invite those who help: everybody sees the same mail, and you decide who may reply.</p>`}
</section>`
}

function personRow({ id, name, email, role, relationship, isReader }: Person): Html {
  return html`<li><a href="/care-circle/people/${id}"><strong><bdi>${name}</bdi></strong></a>${isReader && html` <span class="you">you</span>`}
<p class="capital">${relationship !== '' && html`<bdi>${relationship}</bdi> · `}${roleWords(role).can}</p>
<p class="hint"><bdi>${email}</bdi></p></li>`
}
