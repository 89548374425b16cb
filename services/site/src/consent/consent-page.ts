import type { Access } from '@family-inbox/proto/auth/v1/auth'
import { accessField } from '../shell/access-field.ts'
import { errorSummary, type FieldErrors } from '../shell/fields.ts'
import { type Html, html, webAddress } from '../shell/html.ts'
import type { Page, Viewer } from '../shell/page.ts'
import { type ScopeWords, scopeWords } from '../shell/permissions.ts'

type ConsentData = {
  viewer: Viewer
  uid: string
  client: { name: string; uri: string; redirectHost: string }
  scopes: string[]
  workspaces: { id: string; name: string; canWrite: boolean; chosen: boolean }[]
  /** Chosen first: what the app may do already, if it was connected before. */
  access: Access
  errors: FieldErrors
}

export function consentPage({ viewer, uid, client, scopes, workspaces, access, errors }: ConsentData): Page {
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
<div><dt>After you allow, you return to</dt><dd class="host">${destination(client.redirectHost)}</dd></div>
${aboutClient(client.uri)}
</dl>
<form method="post" action="/consent/${uid}">
${reads.map(({ scope }) => html`<input type="hidden" name="scope" value="${scope}">`)}
${reads.length > 0 && readList(reads)}
${writes.map((write) => writeBox(write, workspaces, access))}
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

/** Stays text: the address is unverified, and a link would look like a recommendation. */
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

function writeBox({ scope, text }: ScopeWords, workspaces: ConsentData['workspaces'], access: Access): Html {
  if (!workspaces.some(({ canWrite }) => canWrite))
    return html`<h2>Read only</h2>
<p>You are a viewer, so it can’t ${text}.</p>`
  return html`<input type="hidden" name="scope" value="${scope}">
<h2 id="scope" tabindex="-1">What it can change</h2>
<p>It can ${text}.</p>
${accessField(access)}`
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
