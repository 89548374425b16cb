import type { Household } from '../../household.ts'
import { html } from '../../html.ts'
import type { Page } from '../../layout/page.ts'
import { copyable } from '../../parts/copyable.ts'
import { settingsPage } from './settings-page.ts'

const BACK = { label: 'Tool keys', href: '/settings/tool-keys' }

export type NewToolKeyData = {
  household: Household
  name: string
  secret: string
  /** The tool server's address, for example `https://api.family-inbox.example/mcp/v1`. */
  serverUrl: string
}

/** A new key, the only time it is shown, with the lines that two common clients take. */
export function newToolKeyPage({ household, name, secret, serverUrl }: NewToolKeyData): Page {
  return settingsPage({
    household,
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
export function toolKeyMadeBefore({ household, name, id }: { household: Household; name: string; id: string }): Page {
  return settingsPage({
    household,
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
