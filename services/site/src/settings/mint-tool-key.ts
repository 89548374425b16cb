import { Access, type MintToolKeyResponse } from '@family-inbox/proto/auth/v1/auth'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { endpointsOf } from '@family-inbox/workspace-kit/endpoints'
import type { Context } from '../context.ts'
import { readAccess } from '../shell/access-field.ts'
import { carryTo, readCarried } from '../shell/carried.ts'
import { type FieldErrors, toFieldErrors } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import type { Page } from '../shell/page.ts'
import { copyable } from '../shell/parts.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { guardOffer } from './guard-offer.ts'
import { ASSISTANTS } from './settings-list.ts'
import { settingsPage } from './settings-page.ts'
import { toolKeysReply } from './tool-keys.ts'

const CREATED = '/settings/tool-keys/created'

/** Creates a key and leads to it. Sending the form twice creates one key. */
export function mintToolKey(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const name = visit.field('name').slice(0, 1000)
    const access = visit.field('access').slice(0, 20)
    const request = visit.field('request').slice(0, 100) || newId('form')
    try {
      await mint(ctx, visit, workspace, { name, request, access })
      return { redirectTo: CREATED, cookies: [carryTo(CREATED, workspace.session, { name, request, access })] }
    } catch (error) {
      return toolKeysReply(ctx, visit, workspace, { values: { name, access }, errors: explain(error) })
    }
  }
}

/** Shows a new key until it is used. The browser carries what was asked for, never the secret: asking again returns it. */
export function showCreatedToolKey(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { name, request, access = '' } = readCarried(visit, workspace.session) ?? {}
    if (name === undefined || !request) return { redirectTo: '/settings/tool-keys' }
    const { key, secret } = await mint(ctx, visit, workspace, { name, request, access })
    const made = { workspace, name: key?.name ?? name, id: key?.id ?? '' }
    const serverUrl = endpointsOf(ctx.config.urls).mcp
    if (secret === '') return { page: toolKeyExistsPage(made) }
    const offer = await guardOffer(ctx, visit, workspace)
    return { page: newToolKeyPage({ ...made, secret, serverUrl, offer }) }
  }
}

type Asked = { name: string; request: string; access: string }

function mint(
  ctx: Context,
  visit: Visit,
  { session }: Workspace,
  { name, request, access: chosen }: Asked,
): Promise<MintToolKeyResponse> {
  const access = readAccess(chosen) ?? (chosen === '' ? Access.WRITE : Access.READ)
  return ctx.auth.mintToolKey({ name, scopes: [], idempotencyKey: request, access }, asPerson(session, visit))
}

function explain(error: unknown): FieldErrors {
  if (error instanceof StatusError && error.status === 'FAILED_PRECONDITION') return { name: error.message }
  return toFieldErrors(error, ERRORS)
}

const ERRORS = { name: 'Enter a name, up to 80 characters' }

type NewToolKeyData = {
  workspace: Workspace
  name: string
  secret: string
  serverUrl: string
  offer: Html | undefined
}

function newToolKeyPage({ workspace, name, secret, serverUrl, offer }: NewToolKeyData): Page {
  return settingsPage({
    workspace,
    title: 'Your new tool key',
    back: ASSISTANTS,
    main: html`<h1>Your new tool key: <bdi>${name}</bdi></h1>
<p class="notice">Copy it now. You can’t see it again later.</p>
${copyable({ id: 'key', text: secret, what: 'the key', look: 'large' })}
${offer}
<h2>Add it to your assistant</h2>
<p>Most desktop assistants accept these lines in their MCP server settings:</p>
${copyable({ id: 'settings-lines', text: settingsLines(serverUrl, secret), what: 'the lines', look: 'block' })}
<p>In Claude Code, run this once:</p>
${copyable({ id: 'command', text: command(serverUrl, secret), what: 'the command', look: 'block' })}
<p>For other assistants, see <a href="/connect">Connect an assistant</a>. Never send the key by email or chat. Anyone with the key can read your family’s inbox.</p>
<p><a class="button" href="${ASSISTANTS.href}">Done</a></p>`,
  })
}

function toolKeyExistsPage({ workspace, name, id }: { workspace: Workspace; name: string; id: string }): Page {
  return settingsPage({
    workspace,
    title: 'This key already exists',
    back: ASSISTANTS,
    main: html`<h1>This key already exists</h1>
<p>You already created <strong><bdi>${name}</bdi></strong> with this form. The key has since been used or revoked, so it can’t be shown again.</p>
<p>If you don’t know who used it, revoke it. You can create another key at any time.</p>
<div class="row"><a class="button" href="/settings/tool-keys/${id}/revoke">Revoke this key</a> <a href="${ASSISTANTS.href}">Your assistants</a></div>`,
  })
}

function settingsLines(url: string, secret: string): string {
  const server = { url, headers: { Authorization: `Bearer ${secret}` } }
  return JSON.stringify({ mcpServers: { 'family-inbox': server } }, null, 2)
}

function command(url: string, secret: string): string {
  return `claude mcp add --transport http family-inbox ${url} --header "Authorization: Bearer ${secret}"`
}
