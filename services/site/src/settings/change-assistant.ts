import { Access } from '@family-inbox/proto/auth/v1/auth'
import type { Context } from '../context.ts'
import { accessField, readAccess } from '../shell/access-field.ts'
import { html } from '../shell/html.ts'
import type { Page } from '../shell/page.ts'
import { withQuery } from '../shell/parts.ts'
import { asPerson } from '../shell/session.ts'
import type { RedirectReply, Visit } from '../shell/visit.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { type Assistant, canWrite, toAssistant } from './list-assistants.ts'
import { pagesOf, pauseForm } from './pause-form.ts'
import { ASSISTANTS } from './settings-list.ts'
import { notFound, settingsPage } from './settings-page.ts'

export function showToolKey(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { key } = await ctx.auth.getToolKey({ keyId: visit.id('id') }, asPerson(workspace.session, visit))
    if (key === undefined) throw notFound()
    if (key.revokedAt !== undefined) return { redirectTo: ASSISTANTS.href }
    return { page: assistantPage(workspace, toAssistant('key', key)) }
  }
}

export function changeToolKey(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { change, reply } = readChange(visit)
    await ctx.auth.changeToolKey({ keyId: visit.id('id'), ...change }, asPerson(workspace.session, visit))
    return reply
  }
}

export function showApp(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { grant } = await ctx.auth.getGrant({ grantId: visit.id('id') }, asPerson(workspace.session, visit))
    if (grant === undefined) throw notFound()
    return { page: assistantPage(workspace, toAssistant('app', { ...grant, name: grant.clientName })) }
  }
}

export function changeApp(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { change, reply } = readChange(visit)
    await ctx.auth.changeGrant({ grantId: visit.id('id'), ...change }, asPerson(workspace.session, visit))
    return reply
  }
}

type Change = { access?: Access; paused?: boolean }

function readChange(visit: Visit): { change: Change; reply: RedirectReply } {
  const redirectTo = visit.field('back') === 'activity' ? backToActivity(visit) : ASSISTANTS.href
  const pause = visit.field('pause')
  if (pause === 'on') return { change: { paused: true }, reply: { redirectTo, flash: 'assistant-paused' } }
  if (pause === 'off') return { change: { paused: false }, reply: { redirectTo, flash: 'assistant-resumed' } }
  const access = readAccess(visit.field('access'))
  return { change: { ...(access && { access }) }, reply: { redirectTo, flash: 'access-changed' } }
}

function backToActivity(visit: Visit): string {
  const [day, assistant] = [visit.field('day').slice(0, 10), visit.field('assistant').slice(0, 128)]
  return withQuery('/settings/agent-activity', { day, assistant })
}

function assistantPage(workspace: Workspace, assistant: Assistant): Page {
  const { name, scopes, access, pausedAt } = assistant
  return settingsPage({
    workspace,
    title: `Change ${name}`,
    back: ASSISTANTS,
    main: html`<h1><bdi>${name}</bdi></h1>
${
  // Without the scope to write there is nothing to choose.
  canWrite(scopes)
    ? html`<form method="post" action="${pagesOf(assistant).change}">
${accessField(access ?? Access.WRITE)}
<button>Save</button>
</form>`
    : html`<p>It can only read. To let it write, disconnect it, connect it again, and allow it there.</p>`
}
<h2>${pausedAt ? 'Paused' : 'Pause'}</h2>
<p>${pausedAt ? 'Every call it makes is refused until you resume it.' : 'While it is paused, every call it makes is refused. It stays connected.'}</p>
${pauseForm(assistant)}`,
  })
}
