import type { GetAssistantSettingsResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import type { Page } from '../shell/page.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { assistantRow } from './assistant-row.ts'
import { assistantSwitches } from './assistant-switches.ts'
import { type Assistant, listAssistants } from './list-assistants.ts'
import { noteAccessSection } from './note-access.ts'
import { undoPause } from './pause-form.ts'
import { ASSISTANTS } from './settings-list.ts'
import { settingsPage } from './settings-page.ts'

/** Shows the reader's assistants, and what holds for all of the family's. */
export function showAssistants(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const [assistants, settings, notes] = await Promise.all([
      listAssistants(ctx, visit, workspace),
      ctx.careCircle.getAssistantSettings({}, asPerson(workspace.session, visit)),
      // Whatever is away, an assistant can be stopped.
      noteAccessSection(ctx, visit, workspace).catch(() => undefined),
    ])
    return { page: assistantsPage({ workspace, visit, assistants, settings, notes }) }
  }
}

type AssistantsData = {
  workspace: Workspace
  visit: Visit
  assistants: Assistant[]
  settings: GetAssistantSettingsResponse
  notes: Html | undefined
}

function assistantsPage({ workspace, visit, assistants, settings, notes }: AssistantsData): Page {
  return settingsPage({
    workspace,
    title: ASSISTANTS.label,
    undo: undoPause(assistants),
    main: html`<h1>Your assistants</h1>
${settings.paused ? html`<p class="notice">The owner paused all assistants of your family.</p>` : settings.ownPaused && html`<p class="notice">All your assistants are paused.</p>`}
${
  assistants.length > 0
    ? connected(assistants, workspace, visit)
    : html`<p>You haven’t connected an assistant yet. <a href="/connect">Connect an assistant</a></p>`
}
<div class="row"><a href="/settings/agent-activity">Assistant activity</a>${workspace.canWrite && html` <a href="/approvals">Waiting for approval</a>`}</div>
${assistantSwitches(workspace, settings)}
${notes ?? html`<h2>Notes and documents</h2><p>We can’t show this setting right now. Try again in a few minutes.</p>`}
<h2>Tool keys</h2>
<p>A program on your own computer connects with a tool key. <a href="/settings/tool-keys">Create a tool key</a></p>`,
  })
}

function connected(assistants: Assistant[], workspace: Workspace, { clock }: Visit): Html {
  return html`<p>They can act for you in <bdi>${workspace.name}</bdi>. Nobody else in your family can use them in your name.</p>
<p><a class="button second" href="/connect">Connect an assistant</a></p>
<ul class="rows">${assistants.map((assistant) => assistantRow(assistant, workspace, clock))}</ul>`
}
