import { Access } from '@family-inbox/proto/auth/v1/auth'
import type { Context } from '../context.ts'
import { accessField, readAccess } from '../shell/access-field.ts'
import { type Html, html } from '../shell/html.ts'
import { asPerson } from '../shell/session.ts'
import type { RedirectReply, Visit } from '../shell/visit.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { canWrite } from './connected-apps.ts'
import { notFound, settingsPage } from './settings-page.ts'

const KEYS = { label: 'Tool keys', href: '/settings/tool-keys' }
const APPS = { label: 'Connected apps', href: '/settings/connected-apps' }

export function showToolKey(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { key } = await ctx.auth.getToolKey({ keyId: visit.id('id') }, asPerson(workspace.session, visit))
    if (key === undefined) throw notFound()
    if (key.revokedAt !== undefined) return { redirectTo: KEYS.href }
    return {
      page: assistantPage({ workspace, back: KEYS, mayWrite: true, ...key, isPaused: key.pausedAt !== undefined }),
    }
  }
}

export function changeToolKey(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { change, reply } = readChange(visit, KEYS.href)
    await ctx.auth.changeToolKey({ keyId: visit.id('id'), ...change }, asPerson(workspace.session, visit))
    return reply
  }
}

export function showApp(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { grant } = await ctx.auth.getGrant({ grantId: visit.id('id') }, asPerson(workspace.session, visit))
    if (grant === undefined) throw notFound()
    const { id, clientName, access, scopes, pausedAt } = grant
    const shown = {
      id,
      name: clientName || 'this app',
      access,
      mayWrite: canWrite(scopes),
      isPaused: pausedAt !== undefined,
    }
    return { page: assistantPage({ workspace, back: APPS, ...shown }) }
  }
}

export function changeApp(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { change, reply } = readChange(visit, APPS.href)
    await ctx.auth.changeGrant({ grantId: visit.id('id'), ...change }, asPerson(workspace.session, visit))
    return reply
  }
}

function readChange(
  visit: Visit,
  back: string,
): { change: { access?: Access; paused?: boolean }; reply: RedirectReply } {
  const pause = visit.field('pause')
  if (pause === 'on' || pause === 'off')
    return {
      change: { paused: pause === 'on' },
      reply: { redirectTo: back, flash: pause === 'on' ? 'assistant-paused' : 'assistant-resumed' },
    }
  const access = readAccess(visit.field('access'))
  return { change: { ...(access && { access }) }, reply: { redirectTo: back, flash: 'access-changed' } }
}

type AssistantData = {
  workspace: Workspace
  back: { label: string; href: string }
  id: string
  name: string
  access?: Access | undefined
  /** Without the scope to write there is nothing to choose. */
  mayWrite: boolean
  isPaused: boolean
}

function assistantPage({ workspace, back, id, name, access, mayWrite, isPaused }: AssistantData) {
  const action = `${back.href}/${id}`
  return settingsPage({
    workspace,
    title: `Change ${name}`,
    back,
    main: html`<h1><bdi>${name}</bdi></h1>
${
  mayWrite
    ? html`<form method="post" action="${action}">
${accessField(access ?? Access.WRITE)}
<button>Save</button>
</form>`
    : html`<p>It can only read. To let it write, disconnect it, connect it again, and allow it there.</p>`
}
${pauseForm(action, isPaused)}`,
  })
}

function pauseForm(action: string, isPaused: boolean): Html {
  return html`<h2>${isPaused ? 'Paused' : 'Pause'}</h2>
<p>${isPaused ? 'Every call it makes is refused until you resume it.' : 'While it is paused, every call it makes is refused. It stays connected.'}</p>
<form method="post" action="${action}"><input type="hidden" name="pause" value="${isPaused ? 'off' : 'on'}"><button class="second">${isPaused ? 'Resume' : 'Pause'}</button></form>`
}
