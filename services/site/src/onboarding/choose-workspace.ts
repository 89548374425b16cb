import { describeError } from '@family-inbox/service-kit/observability/logger'
import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import type { Page, Viewer } from '../shell/page.ts'
import { roleWords } from '../shell/role.ts'
import { asPerson, asSite, type Session, type SignedInHandler, toViewer } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'

/** Lets a person choose their household: nothing to choose with one, and the way to a first one with none. */
export function showWorkspaces(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const { workspaces } = await ctx.careCircle.listWorkspaces({}, asPerson(session, visit))
    const isStillMember = workspaces.some(({ id }) => id === session.workspaceId)
    if (session.workspaceId !== '' && !isStillMember) return tellNoLongerMember(ctx, visit)
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

/** Once: from then on nothing is chosen. Who has just left or deleted the family is being told so already. */
async function tellNoLongerMember(ctx: Context, visit: Visit): Promise<Reply> {
  await ctx.auth.selectWorkspace({ session: visit.cookies.session, workspaceId: '', none: true }, asSite(visit))
  return { redirectTo: '/families', ...(visit.cookies.flash === '' && { flash: 'no-longer-member' as const }) }
}

/** What an assistant opened for somebody comes before a household of their own; while that cannot be told, it can wait. */
async function firstStep(ctx: Context, visit: Visit, session: Session): Promise<string> {
  try {
    const { sandboxes } = await ctx.sandbox.listClaimableSandboxes({}, asPerson(session, visit))
    return sandboxes.length > 0 ? '/onboarding' : '/welcome'
  } catch (error) {
    ctx.logger.warn(describeError(error), 'whether a sandbox waits could not be told')
    return '/welcome'
  }
}

/** Keeps the session in the household the person chose; auth checks that they are a member. */
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

/** Lets somebody who belongs to several households choose one. */
function workspacesPage({ viewer, workspaces }: WorkspacesData): Page {
  return {
    title: 'Your households',
    viewer,
    main: html`<h1>Which household?</h1>
<p>You belong to ${workspaces.length}. You see one at a time, and can switch whenever you like.</p>
<form method="post" action="/families">
<ul class="choices">${workspaces.map(
      ({ id, name, role, current }) =>
        html`<li><button class="choice" name="workspace" value="${id}"><strong><bdi>${name}</bdi></strong> <span>You are its ${role}${current && ', and here now'}</span></button></li>`,
    )}</ul>
</form>
<p><a href="/welcome">Make another household</a></p>`,
  }
}
