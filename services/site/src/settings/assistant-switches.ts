import { type GetAssistantSettingsResponse, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { asPerson } from '../shell/session.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { ASSISTANTS } from './settings-list.ts'

const SWITCHED: Readonly<Record<string, boolean | undefined>> = { on: true, off: false }
const OWNERS = ['paused', 'approvalRequired', 'guarded', 'disclosed'] as const

type SwitchName = (typeof OWNERS)[number] | 'ownPaused'

/** `what` completes the button for screen readers. */
type Switch = { title: string; text: string; what: string; isPause?: boolean }

const SWITCHES: Record<SwitchName, Switch> = {
  ownPaused: {
    title: 'Pause all of yours',
    text: 'While they are paused, every call they make in this family is refused. They stay connected.',
    what: 'my assistants',
    isPause: true,
  },
  paused: {
    title: 'Pause everyone’s',
    text: 'While they are paused, every call they make is refused. They stay connected.',
    what: 'all assistants',
    isPause: true,
  },
  approvalRequired: {
    title: 'Approval for everything',
    text: 'Whatever any assistant writes waits until a family member sends it.',
    what: 'approval for everything',
  },
  guarded: {
    title: 'Guard against unverified senders',
    text: 'Mail can try to trick an assistant. After one has read mail from an unverified sender, what it writes next waits until a family member sends or declines it.',
    what: 'the guard against unverified senders',
  },
  disclosed: {
    title: 'Say that an assistant helped',
    text: 'Replies that an assistant wrote end with “Written with an assistant’s help.”',
    what: 'saying that an assistant helped',
  },
}

export function setAssistants(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const name = [...OWNERS, 'ownPaused' as const].find((known) => known === visit.field('setting'))
    const value = SWITCHED[visit.field('value')]
    if (name === undefined || value === undefined) return { redirectTo: ASSISTANTS.href }
    const change = { [name]: value }
    await ctx.careCircle.setAssistantSettings(change, asPerson(workspace.session, visit))
    return { redirectTo: ASSISTANTS.href, flash: 'assistants-changed' }
  }
}

/** What pauses the reader's own assistants, and what holds for everyone's, which only the owner changes. */
export function assistantSwitches({ role }: Workspace, settings: GetAssistantSettingsResponse): Html {
  return html`<h2>All your assistants</h2>
<ul class="rows">${switchRow('ownPaused', settings.ownPaused)}</ul>
<h2 id="everyone" tabindex="-1">Everyone’s assistants</h2>
${
  role === Role.OWNER
    ? html`<ul class="rows">${OWNERS.map((name) => switchRow(name, settings[name] === true))}</ul>`
    : familyLines(settings)
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

function switchRow(name: SwitchName, isOn: boolean): Html {
  const { title, text, what, isPause = false } = SWITCHES[name]
  const [state, act] = isPause
    ? [isOn ? 'Paused' : 'Not paused', isOn ? 'Resume' : 'Pause']
    : [isOn ? 'On' : 'Off', isOn ? 'Turn off' : 'Turn on']
  return html`<li class="item"><div><h3>${title} <span class="tag${!isOn && ' off'}">${state}</span></h3>
<p>${text}</p></div>
<form method="post" action="${ASSISTANTS.href}"><input type="hidden" name="setting" value="${name}"><input type="hidden" name="value" value="${isOn ? 'off' : 'on'}">
<button class="second">${act}<span class="unseen"> ${what}</span></button></form></li>`
}
