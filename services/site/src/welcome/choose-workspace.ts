import { describeError } from '@family-inbox/service-kit/observability/logger'
import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import type { Page, Viewer } from '../shell/page.ts'
import { roleWords } from '../shell/permissions.ts'
import { asPerson, asSite, type Session, type SignedInHandler, toViewer } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'

/** Shows the list of families. With one it is selected; with none the person creates one. */
export function showWorkspaces(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const { workspaces } = await ctx.careCircle.listWorkspaces({}, asPerson(session, visit))
    const isStillMember = workspaces.some(({ id }) => id === session.workspaceId)
    if (session.workspaceId !== '' && !isStillMember) return deselectWorkspace(ctx, visit)
    const [only, ...others] = workspaces
    if (only === undefined) return { redirectTo: await firstStep(ctx, visit, session) }
    if (others.length === 0) {
      await ctx.auth.selectWorkspace({ session: visit.cookies.session, workspaceId: only.id }, asSite(visit))
      return { redirectTo: '/' }
    }
    const choices = workspaces.map(({ id, name, role }) => ({
      id,
      name,
      role: roleWords(role).name,
      current: id === session.workspaceId,
    }))
    return { page: workspacesPage({ viewer: toViewer(session), workspaces: choices }) }
  }
}

/** Skips its message when another one is pending, such as after leaving. */
async function deselectWorkspace(ctx: Context, visit: Visit): Promise<Reply> {
  await ctx.auth.selectWorkspace({ session: visit.cookies.session, workspaceId: '', none: true }, asSite(visit))
  return { redirectTo: '/families', ...(visit.cookies.flash === '' && { flash: 'no-longer-member' as const }) }
}

/** A sandbox takes precedence over creating a workspace; a failing sandbox service is ignored. */
async function firstStep(ctx: Context, visit: Visit, session: Session): Promise<string> {
  if (!(await ctx.readSwitches()).hasSandbox) return '/welcome'
  try {
    const all = { workspaceId: '', pageToken: '' }
    const { sandboxes } = await ctx.sandbox.listClaimableSandboxes(all, asPerson(session, visit))
    return sandboxes.length > 0 ? '/onboarding' : '/welcome'
  } catch (error) {
    ctx.logger.warn(describeError(error), 'failed to look for sandboxes')
    return '/welcome'
  }
}

/** Selects a workspace; auth checks membership. */
export function chooseWorkspace(ctx: Context): SignedInHandler {
  return async (visit) => {
    const workspaceId = visit.field('workspace').slice(0, 128)
    await ctx.auth.selectWorkspace({ session: visit.cookies.session, workspaceId }, asSite(visit))
    return { redirectTo: '/' }
  }
}

type WorkspacesData = {
  viewer: Viewer
  workspaces: { id: string; name: string; role: string; current: boolean }[]
}

function workspacesPage({ viewer, workspaces }: WorkspacesData): Page {
  return {
    title: 'Your families',
    viewer,
    main: html`<h1>Which family?</h1>
<p>You belong to ${workspaces.length} families. You can switch at any time.</p>
<form method="post" action="/families">
<ul class="choices">${workspaces.map(
      ({ id, name, role, current }) =>
        html`<li><button class="choice" name="workspace" value="${id}"><strong><bdi>${name}</bdi></strong> <span>You are its ${role}${current && ' (current)'}</span></button></li>`,
    )}</ul>
</form>
<p><a href="/welcome">Create another family</a></p>`,
  }
}
