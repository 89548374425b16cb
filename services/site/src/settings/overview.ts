import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { roleWords } from '../shell/permissions.ts'
import { asSite } from '../shell/session.ts'
import { sideList } from '../shell/sidebar.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { settingsList } from './settings-list.ts'

export function showOverview(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { session } = visit.cookies
    // Without a doctor nobody has the operator's page.
    const found = ctx.config.doctor && (await ctx.auth.getOperator({ session }, asSite(visit)))
    return { page: settingsOverview({ workspace, isOperator: found?.operator ?? false }) }
  }
}

function settingsOverview({ workspace, isOperator }: { workspace: Workspace; isOperator: boolean }): Page {
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
${isOperator && html`<p><a href="/operator">Your server</a>: whether everything works, and who may join</p>`}
</div>
<form class="sign-out" method="post" action="/sign-out"><button class="second">Sign out on this device</button></form>`,
    },
  )
}
