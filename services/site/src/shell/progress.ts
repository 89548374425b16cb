import { type Html, html } from './html.ts'

/** How far a person has come on a way of a few steps: the words of all, and which is now. */
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

/** The four short steps to a family’s inbox; the last is the guide that gets the first mail there. */
export const STEPS = ['Who you care for', 'You', 'Your family', 'First mail'] as const
