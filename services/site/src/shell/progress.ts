import { type Html, html } from './html.ts'

export function progress(steps: readonly string[], current: number): Html {
  return html`<ol class="progress" aria-label="Steps">${steps.map(
    (step, index) =>
      html`<li${index === current && html` aria-current="step"`} class="${stateOf(index, current)}"><span>${index < current && html`<span class="unseen">Done: </span>`}${step}</span></li>`,
  )}</ol>`
}

function stateOf(index: number, current: number): string {
  if (index === current) return 'now'
  return index < current ? 'before' : 'after'
}

/** The steps of onboarding; the last one is the forwarding guide. */
export const STEPS = ['Who you care for', 'You', 'Your family', 'First mail'] as const
