import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { copyable } from '../shell/copyable.ts'
import { type FieldErrors, toFieldErrors } from '../shell/field.ts'
import { html } from '../shell/html.ts'
import type { Page } from '../shell/page.ts'
import { asPerson } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { settingsPage } from './settings-page.ts'
import { toolKeysReply } from './tool-keys.ts'

/** Makes a key and shows it in this answer, which nothing keeps. The same form sent twice makes one key, shown until it is used. */
export function mintToolKey(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const name = visit.field('name').slice(0, 1000)
    try {
      return await mint(ctx, visit, workspace, name)
    } catch (error) {
      return toolKeysReply(ctx, visit, workspace, { values: { name }, errors: explain(error) })
    }
  }
}

async function mint(ctx: Context, visit: Visit, workspace: Workspace, name: string): Promise<Reply> {
  const request = { name, scopes: [], idempotencyKey: visit.field('request').slice(0, 100) }
  const { key, secret } = await ctx.auth.mintToolKey(request, asPerson(workspace.session, visit))
  const made = { workspace, name: key?.name ?? name, id: key?.id ?? '' }
  const serverUrl = `${ctx.config.urls.api}/mcp/v1`
  return { page: secret === '' ? toolKeyMadeBefore(made) : newToolKeyPage({ ...made, secret, serverUrl }) }
}

function explain(error: unknown): FieldErrors {
  if (error instanceof StatusError && error.status === 'FAILED_PRECONDITION') return { name: error.message }
  return toFieldErrors(error, WORDS)
}

const WORDS = { name: 'Say what the key is for, in up to 80 characters' }

const BACK = { label: 'Tool keys', href: '/settings/tool-keys' }

type NewToolKeyData = {
  workspace: Workspace
  name: string
  secret: string
  /** The tool server's address, for example `https://api.family-inbox.example/mcp/v1`. */
  serverUrl: string
}

/** A new key, the only time it is shown, with the lines that two common clients take. */
function newToolKeyPage({ workspace, name, secret, serverUrl }: NewToolKeyData): Page {
  return settingsPage({
    workspace,
    title: 'Your new key',
    back: BACK,
    main: html`<h1>Your new key: <bdi>${name}</bdi></h1>
<p class="notice">Copy it now. It is shown this once, and nobody can look it up later, not even we.</p>
${copyable({ id: 'key', text: secret, what: 'the key', look: 'large' })}
<h2>Give it to your assistant</h2>
<p>Most assistants on a computer take these lines in their settings for MCP servers:</p>
${copyable({ id: 'settings-lines', text: settingsLines(serverUrl, secret), what: 'the lines', look: 'block' })}
<p>In Claude Code, type this once:</p>
${copyable({ id: 'command', text: command(serverUrl, secret), what: 'the command', look: 'block' })}
<p>For others, see <a href="/connect">Connect an assistant</a>. Never send the key by mail or chat: whoever has it can read your family’s inbox.</p>
<p><a class="button" href="${BACK.href}">I have copied it</a></p>`,
  })
}

/** What is said when the same form comes again later: there is one key, and it is in use, or was revoked. */
function toolKeyMadeBefore({ workspace, name, id }: { workspace: Workspace; name: string; id: string }): Page {
  return settingsPage({
    workspace,
    title: 'This key was made already',
    back: BACK,
    main: html`<h1>This key was made already</h1>
<p>The form for <strong><bdi>${name}</bdi></strong> came a second time. There is one key, and it has been used or revoked since; it cannot be shown again.</p>
<p>If you do not know who used it, revoke it. You can make another at any time.</p>
<div class="row"><a class="button" href="${BACK.href}/${id}/revoke">Revoke this key</a> <a href="${BACK.href}">Your keys</a></div>`,
  })
}

function settingsLines(url: string, secret: string): string {
  const server = { url, headers: { Authorization: `Bearer ${secret}` } }
  return JSON.stringify({ mcpServers: { 'family-inbox': server } }, null, 2)
}

function command(url: string, secret: string): string {
  return `claude mcp add --transport http family-inbox ${url} --header "Authorization: Bearer ${secret}"`
}
