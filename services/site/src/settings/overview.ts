import { type Html, html } from '../shell/html.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { roleWords } from '../shell/permissions.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'

export function showOverview(): WorkspaceHandler {
  return async (_visit, workspace) => ({ page: settingsOverview({ workspace }) })
}

function settingsOverview({ workspace }: { workspace: Workspace }): Page {
  const { session, role, name, hasOthers } = workspace
  return sectionPage(
    { id: 'settings', workspace },
    {
      title: 'Settings',
      main: html`<h1>Settings</h1>
<p>You are <strong><bdi>${session.name || session.email}</bdi></strong>, ${roleWords(role).name} of <bdi>${name}</bdi>.${
        hasOthers && html` <a href="/families">Switch family</a>`
      }</p>
<h2>You</h2>
${links(YOU)}
<h2>Your assistants</h2>
${links(ASSISTANTS)}
<h2>Your data</h2>
${links(DATA)}
<form method="post" action="/sign-out"><button class="second">Sign out on this device</button></form>`,
    },
  )
}

type Link = { href: string; label: string; text: string }

const YOU: Link[] = [
  { href: '/settings/profile', label: 'Your name', text: 'How your family sees you' },
  { href: '/settings/notifications', label: 'Notifications', text: 'Email about new mail' },
  { href: '/settings/reply-footers', label: 'End of replies', text: 'A line that says who they are about' },
  { href: '/settings/passkeys', label: 'Passkeys', text: 'Sign in without a code' },
  { href: '/settings/devices', label: 'Devices', text: 'Where you are signed in' },
]

const ASSISTANTS: Link[] = [
  { href: '/connect', label: 'Connect an assistant', text: 'Step by step, for Claude and others' },
  { href: '/settings/connected-apps', label: 'Connected apps', text: 'See and disconnect apps' },
  { href: '/settings/tool-keys', label: 'Tool keys', text: 'For assistants on your own computer' },
  { href: '/settings/agent-activity', label: 'Assistant activity', text: 'Every call they made' },
]

const DATA: Link[] = [{ href: '/settings/your-data', label: 'Your data', text: 'Download, leave or delete' }]

function links(rows: Link[]): Html {
  return html`<ul class="rows">${rows.map(
    ({ href, label, text }) =>
      html`<li><a class="go" href="${href}"><strong>${label}</strong> <span>${text}</span></a></li>`,
  )}</ul>`
}
