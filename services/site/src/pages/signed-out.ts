import { html } from '../html.ts'
import type { Page } from '../layout/page.ts'

/** Says that the session is over, for people on a borrowed computer. */
export function signedOutPage(): Page {
  return {
    title: 'You are signed out',
    main: html`<h1>You are signed out</h1>
<p>This browser can no longer see your family’s inbox. Assistants you connected go on working until you disconnect them.</p>
<p><a class="button" href="/sign-in">Sign in again</a></p>`,
  }
}
