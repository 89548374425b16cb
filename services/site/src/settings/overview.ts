import { html } from '../shell/html.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { roleWords } from '../shell/permissions.ts'
import { sideList } from '../shell/sidebar.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { settingsList } from './settings-list.ts'

export function showOverview(): WorkspaceHandler {
  return async (_visit, workspace) => ({ page: settingsOverview({ workspace }) })
}

function settingsOverview({ workspace }: { workspace: Workspace }): Page {
  const { session, ownName, role, name, hasOthers } = workspace
  return sectionPage(
    { id: 'settings', workspace },
    {
      title: 'Settings',
      isWide: true,
      main: html`<div class="overview">
<div class="detail"><h1>Settings</h1>
<p>You are <strong><bdi>${ownName || session.email}</bdi></strong>, ${roleWords(role).name} of <bdi>${name}</bdi>.${
        hasOthers && html` <a href="/families">Switch family</a>`
      }</p></div>
${sideList('Settings', settingsList('Settings'))}
</div>
<form class="sign-out" method="post" action="/sign-out"><button class="second">Sign out on this device</button></form>`,
    },
  )
}
