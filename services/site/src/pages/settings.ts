import type { Household } from '../household.ts'
import { html } from '../html.ts'
import { type Page, roomPage } from '../layout/page.ts'
import { roleWords } from '../parts/role.ts'

/** Who is signed in, and what they can set. */
export function settingsPage({ household, connectUrl }: { household: Household; connectUrl: string }): Page {
  const { session, role, name, hasOthers } = household
  return roomPage(
    { place: 'settings', household },
    {
      title: 'Settings',
      main: html`<h1>Settings</h1>
<dl class="facts">
<div><dt>Your name</dt><dd><bdi>${session.name}</bdi></dd></div>
<div><dt>Your email address</dt><dd><bdi>${session.email}</bdi></dd></div>
<div><dt>Your household</dt><dd><bdi>${name}</bdi>, as its ${roleWords(role).name}</dd></div>
</dl>
${hasOthers && html`<p><a href="/households">Switch household</a></p>`}
<p><a href="${connectUrl}">How to connect an assistant</a></p>`,
    },
  )
}
