import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { type FieldErrors, toFieldErrors } from '../shell/fields.ts'
import { html } from '../shell/html.ts'
import type { Page } from '../shell/page.ts'
import { copyable } from '../shell/parts.ts'
import { asPerson } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { settingsPage } from './settings-page.ts'
import { toolKeysReply } from './tool-keys.ts'

/** Creates a key and shows it once. Sending the form twice creates one key, shown again until it is used. */
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
  return { page: secret === '' ? toolKeyExistsPage(made) : newToolKeyPage({ ...made, secret, serverUrl }) }
}

function explain(error: unknown): FieldErrors {
  if (error instanceof StatusError && error.status === 'FAILED_PRECONDITION') return { name: error.message }
  return toFieldErrors(error, ERRORS)
}

const ERRORS = { name: 'Enter a name, up to 80 characters' }

const BACK = { label: 'Tool keys', href: '/settings/tool-keys' }

type NewToolKeyData = {
  workspace: Workspace
  name: string
  secret: string
  serverUrl: string
}

function newToolKeyPage({ workspace, name, secret, serverUrl }: NewToolKeyData): Page {
  return settingsPage({
    workspace,
    title: 'Your new tool key',
    back: BACK,
    main: html`<h1>Your new tool key: <bdi>${name}</bdi></h1>
<p class="notice">Copy it now. You can’t see it again later.</p>
${copyable({ id: 'key', text: secret, what: 'the key', look: 'large' })}
<h2>Add it to your assistant</h2>
<p>Most desktop assistants accept these lines in their MCP server settings:</p>
${copyable({ id: 'settings-lines', text: settingsLines(serverUrl, secret), what: 'the lines', look: 'block' })}
<p>In Claude Code, run this once:</p>
${copyable({ id: 'command', text: command(serverUrl, secret), what: 'the command', look: 'block' })}
<p>For other assistants, see <a href="/connect">Connect an assistant</a>. Never send the key by email or chat. Anyone with the key can read your family’s inbox.</p>
<p><a class="button" href="${BACK.href}">Done</a></p>`,
  })
}

function toolKeyExistsPage({ workspace, name, id }: { workspace: Workspace; name: string; id: string }): Page {
  return settingsPage({
    workspace,
    title: 'This key already exists',
    back: BACK,
    main: html`<h1>This key already exists</h1>
<p>You already created <strong><bdi>${name}</bdi></strong> with this form. The key has since been used or revoked, so it can’t be shown again.</p>
<p>If you don’t know who used it, revoke it. You can create another key at any time.</p>
<div class="row"><a class="button" href="${BACK.href}/${id}/revoke">Revoke this key</a> <a href="${BACK.href}">Back to tool keys</a></div>`,
  })
}

function settingsLines(url: string, secret: string): string {
  const server = { url, headers: { Authorization: `Bearer ${secret}` } }
  return JSON.stringify({ mcpServers: { 'family-inbox': server } }, null, 2)
}

function command(url: string, secret: string): string {
  return `claude mcp add --transport http family-inbox ${url} --header "Authorization: Bearer ${secret}"`
}
