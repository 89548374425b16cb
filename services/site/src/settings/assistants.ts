import { type GetAssistantSettingsResponse, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import type { Page } from '../shell/page.ts'
import { asPerson } from '../shell/session.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { settingsPage } from './settings-page.ts'

const PATH = '/settings/assistants'
const SWITCHED: Readonly<Record<string, boolean | undefined>> = { on: true, off: false }
const OWNERS = ['approvalRequired', 'guarded', 'paused', 'disclosed'] as const

/** What applies to all assistants: the reader's own, and, for the owner, the family's. */
export function showAssistants(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const settings = await ctx.careCircle.getAssistantSettings({}, asPerson(workspace.session, visit))
    return { page: assistantsPage({ workspace, settings }) }
  }
}

export function setAssistants(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const name = [...OWNERS, 'ownPaused' as const].find((known) => known === visit.field('setting'))
    const value = SWITCHED[visit.field('value')]
    if (name === undefined || value === undefined) return { redirectTo: PATH }
    const change = { [name]: value }
    await ctx.careCircle.setAssistantSettings(change, asPerson(workspace.session, visit))
    return { redirectTo: PATH, flash: 'assistants-changed' }
  }
}

type AssistantsData = { workspace: Workspace; settings: GetAssistantSettingsResponse }

function assistantsPage({ workspace, settings }: AssistantsData): Page {
  return settingsPage({
    workspace,
    title: 'Pause and approval',
    main: html`<h1>Pause and approval</h1>
<p>Pause one assistant under <a href="/settings/connected-apps">Connected apps</a> or <a href="/settings/tool-keys">Tool keys</a>.</p>
<section aria-labelledby="yours"><h2 id="yours">Your assistants</h2>
${
  settings.ownPaused
    ? switchForm(
        'ownPaused',
        false,
        'All of your assistants are paused. Every call they make is refused.',
        'Resume my assistants',
      )
    : switchForm(
        'ownPaused',
        true,
        'Pause all of your assistants in this family. They stay connected.',
        'Pause my assistants',
      )
}</section>
<section aria-labelledby="everyone"><h2 id="everyone">Everyone’s assistants</h2>
${workspace.role === Role.OWNER ? ownerForms(settings) : familyLines(settings)}</section>`,
  })
}

function ownerForms({ paused, approvalRequired, guarded = false, disclosed }: GetAssistantSettingsResponse): Html {
  return html`${
    paused
      ? switchForm('paused', false, 'All of the family’s assistants are paused.', 'Resume all assistants')
      : switchForm('paused', true, 'Pause the assistants of everyone in the family.', 'Pause all assistants')
  }
${
  approvalRequired
    ? switchForm(
        'approvalRequired',
        false,
        'Whatever any assistant writes waits until a family member sends it.',
        'Stop requiring approval',
      )
    : switchForm(
        'approvalRequired',
        true,
        'Require approval for everything any assistant writes, whatever its own setting.',
        'Require approval',
      )
}
${
  guarded
    ? switchForm(
        'guarded',
        false,
        'After an assistant has read mail from an unverified sender, what it writes next waits until a family member sends or declines it.',
        'Stop guarding',
      )
    : switchForm(
        'guarded',
        true,
        'Mail can try to trick an assistant. Let what an assistant writes wait for approval after it has read mail from an unverified sender. This is off unless you turn it on.',
        'Guard against unverified senders',
      )
}
${
  disclosed
    ? switchForm(
        'disclosed',
        false,
        'Replies that an assistant wrote end with “Written with an assistant’s help.”',
        'Stop adding this line',
      )
    : switchForm(
        'disclosed',
        true,
        'Add “Written with an assistant’s help.” to replies that an assistant wrote.',
        'Add this line',
      )
}`
}

function familyLines({ paused, approvalRequired, guarded, disclosed }: GetAssistantSettingsResponse): Html {
  return html`<ul class="plain">
<li>${paused ? 'The owner paused all assistants.' : 'Assistants are not paused.'}</li>
<li>${approvalRequired ? 'What any assistant writes waits for approval.' : 'Each assistant has its own setting for approval.'}</li>
<li>${guarded ? 'What an assistant writes after mail from an unverified sender waits for approval.' : 'Mail from an unverified sender doesn’t change what assistants may do.'}</li>
<li>${disclosed ? 'Recipients learn that an assistant helped.' : 'Recipients don’t learn that an assistant helped.'}</li>
</ul><p class="hint">The owner can change this.</p>`
}

function switchForm(setting: string, value: boolean, text: string, button: string): Html {
  return html`<section class="switch"><form method="post" action="${PATH}"><p>${text}</p>
<input type="hidden" name="setting" value="${setting}"><input type="hidden" name="value" value="${value ? 'on' : 'off'}">
<button class="second">${button}</button></form></section>`
}
