import type { LinkedAgency } from '../../care-circle/read-agencies.ts'
import type { Circle } from '../../care-circle/read-circle.ts'
import type { Code } from '../../care-circle/read-codes.ts'
import type { AddressedLovedOne } from '../../care-circle/read-loved-ones.ts'
import type { Household } from '../../household.ts'
import { html } from '../../html.ts'
import type { ReaderClock } from '../../http/reader-clock.ts'
import { type Page, roomPage } from '../../layout/page.ts'
import { agenciesSection } from './agencies.ts'
import { invitedSection } from './invited.ts'
import { lovedOnesSection } from './loved-ones.ts'
import { peopleSection } from './people.ts'

export type CareCircleData = {
  household: Household
  clock: ReaderClock
  circle: Circle
  lovedOnes: AddressedLovedOne[]
  agencies: LinkedAgency[] | undefined
  codes: Code[]
}

/** Who is in the care circle and what each can do, who is cared for, and which agencies share what they do. */
export function careCirclePage({ household, clock, circle, lovedOnes, agencies, codes }: CareCircleData): Page {
  const { canWrite } = household
  return roomPage(
    { place: 'care-circle', household },
    {
      title: 'Care circle',
      main: html`<h1>Care circle</h1>
<p class="lead"><bdi>${household.name}</bdi></p>
${peopleSection({ people: circle.people, canWrite })}
${invitedSection({ invited: circle.invited, clock, canWrite })}
${lovedOnesSection({ lovedOnes, canWrite })}
${agenciesSection({ agencies, codes, clock, canWrite, hasLovedOnes: lovedOnes.length > 0 })}
<section class="aside" aria-labelledby="more">
<h2 id="more">More</h2>
<ul class="plain">
<li><a href="/connect">Connect an assistant</a>, such as Claude or ChatGPT, to read this inbox with you.</li>
<li><a href="/care-circle/leave">Leave this care circle</a></li>
</ul>
</section>`,
    },
  )
}
