import { html } from '../html.ts'
import type { Page } from '../layout/page.ts'

/** A code that can no longer be used: too late, used before, or too many tries. Offers a new one. */
export function signInOverPage({ reason }: { reason: string }): Page {
  return {
    title: 'This code no longer works',
    leadsElsewhere: true,
    main: html`<h1>This code no longer works</h1>
<p>${reason}</p>
<p class="hint">A code works once, for 10 minutes, and allows 5 tries. That keeps others from guessing it.</p>
<form class="row" method="post" action="/sign-in/resend"><button>Send me a new code</button> <a href="/sign-in">Use another address</a></form>`,
  }
}
