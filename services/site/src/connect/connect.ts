import type { Context } from '../context.ts'
import { PRODUCT } from '../shell/brand.ts'
import { copyable } from '../shell/copyable.ts'
import { type Html, html } from '../shell/html.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { isThisMachine, KEY_PLACE, SERVER_NAME, snippetsFor } from './snippets.ts'

/** Shows how to connect an assistant, with this installation's own address. */
export function showConnect({ config }: Context): WorkspaceHandler {
  return async (_visit, workspace) => ({ page: connectPage({ workspace, endpoint: `${config.urls.api}/mcp/v1` }) })
}

type ConnectData = {
  workspace: Workspace
  /** The tool server's address. */
  endpoint: string
}

type Client = { id: string; name: string; about: string; steps: Html }

/** How to connect an assistant, client by client, with what has to be copied. */
function connectPage({ workspace, endpoint }: ConnectData): Page {
  const all = clients(endpoint)
  return sectionPage(
    { id: 'settings', workspace },
    {
      title: 'Connect an assistant',
      main: html`<p class="up"><a href="/settings">Settings</a></p>
<h1>Connect an assistant</h1>
<p>An assistant you connect reads your family’s mail and timeline with you${
        workspace.canWrite
          ? ', and, where you allow it, replies, invites people and makes codes for agencies'
          : '. As you are a viewer, it can read and do nothing else'
      }. It never sees more than you do. You can see what it did, and stop it at any time, under <a href="/settings">Settings</a>.</p>
<h2>The address of your inbox, for assistants</h2>
${copyable({ id: 'endpoint', text: endpoint, what: 'the address', look: 'large' })}
${isThisMachine(endpoint) && onlyHere()}
<h2>Which one do you use?</h2>
<ul class="pills">${all.map(({ id, name }) => html`<li><a href="#${id}">${name}</a></li>`)}</ul>
${all.map(clientSection)}
<section aria-labelledby="first-question">
<h2 id="first-question">Then ask it something</h2>
<p>For example: “What did the clinic write about ${workspace.lovedOnes[0]?.name ?? 'Mum'} this week?” Mail is written by outsiders: do not let an assistant act on what a mail asks for without looking at it yourself.</p>
</section>`,
    },
  )
}

function onlyHere(): Html {
  return html`<p class="notice">This inbox runs on your own computer. Assistants on the same computer can reach it. Claude and ChatGPT run elsewhere and cannot, until it has an address on the internet.</p>`
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
      about: 'On the web and in the app for your computer. What you add there is on your phone, too.',
      steps: html`<ol class="steps">
<li>Open <em>Customize</em>, then <em>Connectors</em>. In older versions it is <em>Settings</em>, then <em>Connectors</em>.</li>
<li>Choose <em>+</em>, then <em>Add custom connector</em>. As name, type ${PRODUCT}; as address, paste the one above.</li>
<li>Choose <em>Add</em>, then <em>Connect</em>. You come back here, sign in, and choose what it may do.</li>
</ol>
<p class="hint">In a team’s account, an owner of the team adds the connector first.</p>`,
    },
    {
      id: 'chatgpt',
      name: 'ChatGPT',
      about: 'In the browser. Whether it may also write depends on your plan.',
      steps: html`<ol class="steps">
<li>Open <em>Settings</em>, then <em>Apps</em>, then <em>Advanced settings</em>, and switch on <em>Developer mode</em>. In a company’s account, an administrator allows that first.</li>
<li>Go back to <em>Apps</em> and choose <em>Create app</em>. As name, type ${PRODUCT}; as server address, paste the one above; as authentication, choose <em>OAuth</em>.</li>
<li>Choose <em>Create</em>. You come back here, sign in, and choose what it may do.</li>
<li>In a new chat, choose <em>+</em>, then <em>More</em>, then ${PRODUCT}.</li>
</ol>`,
    },
    {
      id: 'cursor',
      name: 'Cursor',
      about: 'It signs you in by itself.',
      steps: html`<p><a class="button second" href="${text.cursorLink}">Add it to Cursor</a></p>
<p>Or put this into <code>~/.cursor/mcp.json</code>:</p>
${copyable({ id: 'cursor-json', text: text.cursorJson, what: 'the settings for Cursor', look: 'block' })}
<p>Then open <em>Settings</em>, <em>Tools &amp; MCP</em>, and choose <em>Connect</em> beside it.</p>`,
    },
    {
      id: 'vs-code',
      name: 'VS Code',
      about: 'With GitHub Copilot’s agent. It signs you in by itself.',
      steps: html`<p><a class="button second" href="${text.vsCodeLink}">Add it to VS Code</a></p>
<p>Or run <em>MCP: Add Server</em>, choose <em>HTTP</em> and paste the address; or put this into <code>.vscode/mcp.json</code>:</p>
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
      name: 'curl, and programs of your own',
      about: 'They take a tool key.',
      steps: html`${keyHint()}
${copyable({ id: 'curl-command', text: text.curl, what: 'the curl command', look: 'block' })}
<p>A client that can only start programs takes this:</p>
${copyable({ id: 'bridge-json', text: text.bridge, what: 'the settings for other clients', look: 'block' })}`,
    },
  ]
}

function keyHint(): Html {
  return html`<p><a href="/settings/tool-keys">Make a tool key</a>, and put it where it says <code>${KEY_PLACE}</code>. Keep it like a password: who has it reads your inbox as you.</p>`
}
