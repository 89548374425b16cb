import { type Html, html } from '../html.ts'
import type { FieldErrors } from './field.ts'

/** What is wrong, said once on top, each linked to its field. Takes the focus, so that it is read out first. */
export function errorSummary(errors: FieldErrors): Html | undefined {
  const problems = Object.entries(errors)
  if (problems.length === 0) return undefined
  return html`<div class="problems" role="alert" aria-labelledby="problems" tabindex="-1" autofocus>
<h2 id="problems">There is a problem</h2>
<ul>${problems.map(([name, message]) => html`<li><a href="#${name}">${message}</a></li>`)}</ul>
</div>`
}
