import { Role, type Workspace } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Status, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors } from '../shell/fields.ts'
import { type Html, html, webAddress } from '../shell/html.ts'
import { messagePage, type Page, type Viewer } from '../shell/page.ts'
import { type ScopeWords, scopeWords } from '../shell/permissions.ts'
import { signInAgain, withReturnTo } from '../shell/return-to.ts'
import { asPerson, asSite, type Session, type SignedInHandler, toViewer } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'

/** Shows what an application requests. */
export function showConsent(ctx: Context): SignedInHandler {
  return (visit, session) => consentReply(ctx, visit, session)
}

/** Sends the person's decision to auth, which checks scopes and membership. */
export function decideConsent(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const interactionId = visit.param('uid')
    const decision = {
      interactionId,
      cookie: visit.cookieHeader,
      session: visit.cookies.session,
      // A form sent without a button must not grant access.
      allow: visit.field('decision') === 'allow',
      scopes: visit.fields('scope').slice(0, 20),
      workspaceId: visit.field('workspace'),
    }
    try {
      const { redirectUrl } = await ctx.auth.decideConsent(decision, asSite(visit))
      return { redirectTo: redirectUrl }
    } catch (error) {
      if (error instanceof StatusError && error.detail.field === 'scopes')
        return consentReply(ctx, visit, session, { scope: error.message })
      return consentEnded(error, interactionId, session)
    }
  }
}

/** Renders the request, also after a refused form. A person without a family creates one first. */
async function consentReply(ctx: Context, visit: Visit, session: Session, errors: FieldErrors = {}): Promise<Reply> {
  const uid = visit.param('uid')
  try {
    const [consent, { workspaces }] = await Promise.all([
      ctx.auth.getConsent(
        { interactionId: uid, cookie: visit.cookieHeader, session: visit.cookies.session },
        asSite(visit),
      ),
      ctx.careCircle.listWorkspaces({}, asPerson(session, visit)),
    ])
    if (workspaces.length === 0) return { redirectTo: withReturnTo('/welcome', `/consent/${uid}`) }
    const { clientName, clientUri, redirectHost, scopes } = consent
    const page = consentPage({
      viewer: toViewer(session),
      uid,
      client: { name: clientName || redirectHost, uri: clientUri, redirectHost },
      scopes,
      workspaces: toWorkspaces(workspaces, session.workspaceId),
      errors,
    })
    return { page, status: 'scope' in errors ? 422 : 200 }
  } catch (error) {
    return consentEnded(error, uid, session)
  }
}

/**
 * Handles an authorization that has expired, belongs to another browser, or needs a new sign-in.
 * @throws any other error unchanged
 */
function consentEnded(error: unknown, uid: string, session: Session): Reply {
  const status: Status | undefined = error instanceof StatusError ? error.status : undefined
  if (status === 'UNAUTHENTICATED') return { redirectTo: signInAgain(`/consent/${uid}`) }
  if (status !== 'NOT_FOUND') throw error
  const page = messagePage({
    title: 'This request has expired',
    lines: [
      'Finish connecting an app soon after you start, in the same browser.',
      'Nothing was shared. Go back to the app and connect it again.',
    ],
    next: { label: 'Go to the home page', href: '/' },
    viewer: toViewer(session),
    allowsExternalRedirects: true,
  })
  return { page, status: 404 }
}

function toWorkspaces(workspaces: Workspace[], currentId: string) {
  const chosen = workspaces.find(({ id }) => id === currentId) ?? workspaces[0]
  return workspaces.map(({ id, name, role }) => ({
    id,
    name,
    canWrite: role !== Role.VIEWER,
    chosen: id === chosen?.id,
  }))
}

type ConsentData = {
  viewer: Viewer
  uid: string
  client: { name: string; uri: string; redirectHost: string }
  scopes: string[]
  workspaces: { id: string; name: string; canWrite: boolean; chosen: boolean }[]
  errors: FieldErrors
}

/** Asks whether an application may act for the person: who it is, what it may do, and in which family. */
export function consentPage({ viewer, uid, client, scopes, workspaces, errors }: ConsentData): Page {
  const words = scopes.map(scopeWords)
  const reads = words.filter(({ kind }) => kind === 'read')
  const writes = words.filter(({ kind }) => kind === 'write')
  return {
    title: `Connect ${client.name}?`,
    viewer,
    allowsExternalRedirects: true,
    hasErrors: 'scope' in errors,
    main: html`${errorSummary(errors)}
<h1>Connect <bdi>${client.name}</bdi>?</h1>
<p>An app that calls itself “<bdi>${client.name}</bdi>” wants to act for you. We have not checked this name. If you didn’t start this just now, choose “Don’t allow”.</p>
<dl class="facts">
<div><dt>Your answer goes to</dt><dd class="host">${destination(client.redirectHost)}</dd></div>
${aboutClient(client.uri)}
</dl>
<form method="post" action="/consent/${uid}">
${reads.map(({ scope }) => html`<input type="hidden" name="scope" value="${scope}">`)}
${reads.length > 0 && readList(reads)}
${writes.map((write) => writeBox(write, workspaces))}
${workspaceChoice(workspaces)}
<p class="hint">It can never see other families, open attachments or move money. You can see every call it makes under Settings, and disconnect it there at any time.</p>
<div class="row"><button name="decision" value="allow">Allow</button> <button class="second" name="decision" value="deny">Don’t allow</button></div>
</form>`,
  }
}

function destination(redirectHost: string): Html {
  const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(redirectHost) || redirectHost.endsWith(':')
  return isLocal ? html`this device (<bdi>${redirectHost}</bdi>)` : html`<bdi>${redirectHost}</bdi>`
}

/** Not a link: the address is unverified and must not look like a recommendation. */
function aboutClient(uri: string): Html | undefined {
  const address = webAddress(uri)
  if (address === undefined) return undefined
  const host = new URL(address).host
  return html`<div><dt>It says its website is</dt><dd><bdi>${host}</bdi> (not checked)</dd></div>`
}

function readList(reads: ScopeWords[]): Html {
  return html`<h2>What it can see</h2>
<ul class="granted">${reads.map(({ text }) => html`<li>It can read ${text}.</li>`)}</ul>`
}

function writeBox({ scope, text }: ScopeWords, workspaces: ConsentData['workspaces']): Html {
  if (!workspaces.some(({ canWrite }) => canWrite))
    return html`<h2>Read only</h2>
<p>You are a viewer, so it can’t ${text}.</p>`
  return html`<fieldset>
<legend>What it can change. Clear the box to make it read-only.</legend>
<label class="tick"><input type="checkbox" id="scope" name="scope" value="${scope}" checked> <span>It can ${text}.</span></label>
</fieldset>`
}

function workspaceChoice(workspaces: ConsentData['workspaces']): Html {
  const [only, ...others] = workspaces
  if (only && others.length === 0)
    return html`<input type="hidden" name="workspace" value="${only.id}">
<p>This applies to <strong><bdi>${only.name}</bdi></strong>.</p>`
  return html`<fieldset>
<legend>For which family?</legend>
${workspaces.map(
  ({ id, name, chosen }) =>
    html`<label class="tick"><input type="radio" name="workspace" value="${id}"${chosen && html` checked`}> <span><bdi>${name}</bdi></span></label>`,
)}
</fieldset>`
}
