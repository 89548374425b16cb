import type { Household, LovedOne } from '../../household.ts'
import { html } from '../../html.ts'
import type { ReaderClock } from '../../http/reader-clock.ts'
import { type Page, roomPage } from '../../layout/page.ts'
import { copyable } from '../../parts/copyable.ts'
import { dayOf } from '../../parts/moment.ts'

export type CodeData = {
  household: Household
  clock: ReaderClock
  lovedOne: LovedOne
  code: string
  expiresAt: Date | undefined
}

/** Shows a code, once, large enough to be read out. */
export function codePage({ household, clock, lovedOne, code, expiresAt }: CodeData): Page {
  return roomPage(
    { place: 'care-circle', household },
    {
      title: 'The code',
      main: html`<h1>The code for <bdi>${lovedOne.name}</bdi></h1>
${copyable({ id: 'code', text: inGroups(code), what: 'the code', look: 'code' })}
<p>Give it to the agency. It works once${expiresAt && html`, until ${dayOf(expiresAt, clock)}`}. Capital letters and the space do not matter.</p>
<p class="notice">Write it down or copy it now: it is not shown again. You can make another at any time.</p>
<p><a href="/care-circle">Back to the care circle</a></p>`,
    },
  )
}

/** Four and four, as one reads it out. */
function inGroups(code: string): string {
  return code.replace(/(.{4})(?=.)/g, '$1 ')
}
