import { html } from '../html.ts'
import type { Page, Viewer } from '../layout/page.ts'

export type HouseholdsData = {
  viewer: Viewer
  households: { id: string; name: string; role: string; current: boolean }[]
}

/** Lets somebody who belongs to several households choose one. */
export function householdsPage({ viewer, households }: HouseholdsData): Page {
  return {
    title: 'Your households',
    viewer,
    main: html`<h1>Which household?</h1>
<p>You belong to ${households.length}. You see one at a time, and can switch whenever you like.</p>
<form method="post" action="/households">
<ul class="choices">${households.map(
      ({ id, name, role, current }) =>
        html`<li><button class="choice" name="workspace" value="${id}"><strong><bdi>${name}</bdi></strong> <span>You are its ${role}${current && ', and here now'}</span></button></li>`,
    )}</ul>
</form>
<p><a href="/welcome">Make another household</a></p>`,
  }
}
