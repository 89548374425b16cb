import { endpointsOf } from '@family-inbox/workspace-kit/endpoints'
import { PRODUCT } from '@family-inbox/workspace-kit/product'
import type { Context } from '../context.ts'
import { guardOffer } from '../settings/guard-offer.ts'
import { ASSISTANTS } from '../settings/settings-list.ts'
import { settingsPage } from '../settings/settings-page.ts'
import { type Html, html } from '../shell/html.ts'
import type { Page } from '../shell/page.ts'
import { copyable } from '../shell/parts.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { isLoopback, KEY_PLACEHOLDER, SERVER_NAME, snippetsFor } from './snippets.ts'

export function showConnect(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const offer = await guardOffer(ctx, visit, workspace)
    return { page: connectPage({ workspace, endpoint: endpointsOf(ctx.config.urls).mcp, offer }) }
  }
}

type ConnectData = {
  workspace: Workspace
  endpoint: string
  offer: Html | undefined
}

type Client = { id: string; name: string; about: string; steps: Html }

function connectPage({ workspace, endpoint, offer }: ConnectData): Page {
  const all = clients(endpoint)
  return settingsPage({
    workspace,
    title: 'Connect an assistant',
    back: ASSISTANTS,
    main: html`<h1>Connect an assistant</h1>
<p>An assistant you connect can read your family’s mail and timeline${
      workspace.canWrite
        ? '. If you allow it, it can also reply, invite people, and create codes for agencies'
        : '. Because you are a viewer, it can only read'
    }. It never sees more than you do. Under <a href="${ASSISTANTS.href}">Your assistants</a>, you can see what it did, and pause or disconnect it at any time.</p>
${offer}
<h2>Server address</h2>
${copyable({ id: 'endpoint', text: endpoint, what: 'the address', look: 'large' })}
${isLoopback(endpoint) && localOnlyNotice()}
<h2>Which assistant do you use?</h2>
<ul class="pills">${all.map(({ id, name }) => html`<li><a href="#${id}">${name}</a></li>`)}</ul>
${all.map(clientSection)}
<section aria-labelledby="first-question">
<h2 id="first-question">Ask it a question</h2>
<p>For example: “What did the clinic write about ${workspace.lovedOnes[0]?.name ?? 'Mom'} this week?” Mail is written by outsiders. Read a message yourself before you let an assistant act on it.</p>
</section>`,
  })
}

function localOnlyNotice(): Html {
  return html`<p class="notice">This inbox runs on your own computer. Assistants on the same computer can reach it. Claude and ChatGPT on the web can’t, because they need a public address.</p>`
}

function clientSection({ id, name, about, steps }: Client): Html {
  return html`<section class="client" aria-labelledby="${id}">
<h2 id="${id}" tabindex="-1">${name}</h2>
<p class="hint">${about}</p>
${steps}
</section>`
}

function clients(endpoint: string): Client[] {
  const text = snippetsFor(endpoint)
  return [
    {
      id: 'claude',
      name: 'Claude',
      about: 'On the web and in the desktop app. Connectors you add there also work on your phone.',
      steps: html`<ol class="steps">
<li>Open <em>Customize</em>, then <em>Connectors</em>. In older versions, open <em>Settings</em>, then <em>Connectors</em>.</li>
<li>Choose <em>+</em>, then <em>Add custom connector</em>. Enter ${PRODUCT} as the name and paste the address above.</li>
<li>Choose <em>Add</em>, then <em>Connect</em>. You return here to sign in and choose what it can do.</li>
</ol>
<p class="hint">On a team plan, a team owner adds the connector first.</p>`,
    },
    {
      id: 'chatgpt',
      name: 'ChatGPT',
      about: 'In the browser. Whether it can write depends on your plan.',
      steps: html`<ol class="steps">
<li>Open <em>Settings</em>, then <em>Apps</em>, then <em>Advanced settings</em>, and turn on <em>Developer mode</em>. On a company plan, an administrator allows this first.</li>
<li>Go back to <em>Apps</em> and choose <em>Create app</em>. Enter ${PRODUCT} as the name, paste the address above as the server address, and choose <em>OAuth</em> for authentication.</li>
<li>Choose <em>Create</em>. You return here to sign in and choose what it can do.</li>
<li>In a new chat, choose <em>+</em>, then <em>More</em>, then ${PRODUCT}.</li>
</ol>`,
    },
    {
      id: 'cursor',
      name: 'Cursor',
      about: 'It opens the sign-in page for you.',
      steps: html`<p><a class="button second" href="${text.cursorLink}">Add to Cursor</a></p>
<p>Or add this to <code>~/.cursor/mcp.json</code>:</p>
${copyable({ id: 'cursor-json', text: text.cursorJson, what: 'the settings for Cursor', look: 'block' })}
<p>Then open <em>Settings</em>, <em>Tools &amp; MCP</em>, and choose <em>Connect</em> next to the server.</p>`,
    },
    {
      id: 'vs-code',
      name: 'VS Code',
      about: 'With GitHub Copilot’s agent. It opens the sign-in page for you.',
      steps: html`<p><a class="button second" href="${text.vsCodeLink}">Add to VS Code</a></p>
<p>Or run <em>MCP: Add Server</em>, choose <em>HTTP</em> and paste the address. Or add this to <code>.vscode/mcp.json</code>:</p>
${copyable({ id: 'vs-code-json', text: text.vsCodeJson, what: 'the settings for VS Code', look: 'block' })}`,
    },
    {
      id: 'claude-code',
      name: 'Claude Code',
      about: 'In the terminal.',
      steps: html`${copyable({ id: 'claude-code-command', text: text.claudeCode, what: 'the command', look: 'block' })}
<p>Start <code>claude</code>, type <code>/mcp</code>, choose <code>${SERVER_NAME}</code> and sign in. On a machine without a browser, use a tool key instead:</p>
${keyHint()}
${copyable({ id: 'claude-code-key', text: text.claudeCodeWithKey, what: 'the command with a key', look: 'block' })}`,
    },
    {
      id: 'curl',
      name: 'curl and your own programs',
      about: 'They use a tool key.',
      steps: html`${keyHint()}
${copyable({ id: 'curl-command', text: text.curl, what: 'the curl command', look: 'block' })}
<p>For a client that can only start local programs:</p>
${copyable({ id: 'bridge-json', text: text.bridge, what: 'the settings for other clients', look: 'block' })}`,
    },
  ]
}

function keyHint(): Html {
  return html`<p><a href="/settings/tool-keys">Create a tool key</a> and replace <code>${KEY_PLACEHOLDER}</code> with it. Keep it like a password: anyone with the key can read your inbox as you.</p>`
}
