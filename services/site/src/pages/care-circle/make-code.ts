import type { Household, LovedOne } from '../../household.ts'
import { type Html, html } from '../../html.ts'
import { type Page, roomPage } from '../../layout/page.ts'
import { errorSummary } from '../../parts/error-summary.ts'
import type { FieldErrors } from '../../parts/field.ts'
import { radioField } from '../../parts/radio-field.ts'

export type MakeCodeData = {
  household: Household
  values: { lovedOne: string }
  /** The same key makes one code, however often the form is sent. */
  idempotencyKey: string
  errors: FieldErrors
}

/** Says what a code is for, and asks for whom to make one. */
export function makeCodePage({ household, values, idempotencyKey, errors }: MakeCodeData): Page {
  return roomPage(
    { place: 'care-circle', household },
    {
      title: 'Make a code for an agency',
      hasErrors: Object.keys(errors).length > 0,
      main: html`<p class="up"><a href="/care-circle">Care circle</a></p>
${errorSummary(errors)}
<h1>Make a code for an agency</h1>
<p>With a code, a care agency can link the person it cares for to your family. Once it switches sharing on, its visits, notes, medication and measurements appear on your timeline.</p>
<ol class="steps">
<li>Make the code here, and give it to the agency: by phone, on paper, or in a mail.</li>
<li>The agency enters it. Each code works once, within 7 days.</li>
<li>The agency switches sharing on. You see under “Care agencies” whether it has.</li>
</ol>
<p>The agency sees nothing of yours: not your mail, and not who is in your care circle.</p>
<form method="post" action="/care-circle/codes/new">
<input type="hidden" name="idempotency_key" value="${idempotencyKey}">
${forWhom(household.lovedOnes, values.lovedOne, errors)}
<button>Make the code</button>
</form>`,
    },
  )
}

function forWhom(lovedOnes: LovedOne[], chosen: string, errors: FieldErrors): Html {
  const [only, ...others] = lovedOnes
  if (only && others.length === 0)
    return html`<input type="hidden" name="lovedOne" value="${only.id}">
<p>The code is for <strong><bdi>${only.name}</bdi></strong>.</p>`
  return radioField({
    name: 'lovedOne',
    legend: 'For whom?',
    value: chosen,
    error: errors.lovedOne,
    options: lovedOnes.map(({ id, name }) => ({ value: id, label: html`<bdi>${name}</bdi>` })),
  })
}
