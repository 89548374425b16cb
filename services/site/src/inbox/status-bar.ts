import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type ConversationState, ConversationStatus, StatusAction } from '@family-inbox/proto/inbox/v1/inbox'
import { type Html, html } from '../shell/html.ts'
import { whenOf } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import type { Workspace } from '../shell/workspace.ts'
import { CATEGORY_WORDS, categoryWords } from './category-words.ts'
import { type MailList, withList } from './mail-list.ts'
import { moveActs } from './move-message.ts'
import type { OpenMessage } from './read-message.ts'

/** The names of actions in forms. */
export const ACTIONS: Readonly<Record<string, StatusAction>> = {
  take: StatusAction.TAKE,
  'hand-over': StatusAction.HAND_OVER,
  'give-back': StatusAction.GIVE_BACK,
  done: StatusAction.DONE,
  'not-needed': StatusAction.NOT_NEEDED,
  'open-again': StatusAction.OPEN_AGAIN,
}

/** Shows who takes care of the conversation and what to do about it. On a phone, the buttons are in the bar at the bottom. */
export function statusBar(list: MailList, open: OpenMessage, clock: ReaderClock): Html {
  const { query, workspace } = list
  const { state } = open.message.message
  const path = withList(`/inbox/${open.lovedOne.id}/${open.message.message.id}/status`, query)
  return html`<section class="status-bar" id="status" aria-label="Status">
${statusWords(state, workspace.session.personId, clock)}
${workspace.canWrite && html`<form class="row acts" method="post" action="${path}">${actionsFor(state, workspace).map(actButton)}</form>`}
${moreActs(list, open, workspace.canWrite && !isFinished(state) && laterActs(path, state, workspace))}
</section>`
}

type Action = { name: keyof typeof ACTIONS; label: string; look: 'main' | 'second' | 'quiet' }

function actButton({ name, label, look }: Action): Html {
  return html`<button name="act" value="${name}" class="${look}">${label}</button>`
}

function actionsFor(state: ConversationState | undefined, { session }: Workspace): Action[] {
  if (isFinished(state)) return [{ name: 'open-again', label: 'Open again', look: 'second' }]
  const isOwn = state?.assigneeId === session.personId
  const done: Action = { name: 'done', label: 'Done', look: isOwn ? 'main' : 'second' }
  const isTaken = state !== undefined && state.assigneeId !== ''
  return isTaken ? [done] : [{ name: 'take', label: 'I’ll take this', look: 'main' }, done]
}

/** A menu of what a message rarely needs. It opens without a script; inbox.js closes it. */
function moreActs({ query, workspace }: MailList, open: OpenMessage, acts: Html | false): Html {
  const pathTo = (form: string) => withList(`/inbox/${open.lovedOne.id}/${open.message.message.id}/${form}`, query)
  const isAlone = open.message.others.length === 0
  const current = categoryWords(open.message.message.category).name
  return html`<details class="more-acts linked"><summary>More<span class="unseen"> actions</span></summary>
<div class="menu">
${acts}
<form method="post" action="${pathTo('unread')}"><button class="quiet">Mark as unread</button></form>
${
  workspace.canWrite &&
  html`<form class="filing" method="post" action="${pathTo('category')}">
<label for="filed">Category</label>
<select id="filed" name="category">${CATEGORY_WORDS.map(({ name, label }) => html`<option value="${name}"${name === current && html` selected`}>${label}</option>`)}</select>
<button class="second">Change category</button>
</form>`
}
${workspace.canWrite && html`<p><a href="${pathTo('forward')}">Forward</a></p>`}
<button class="quiet" type="button" data-print hidden>Print</button>
${workspace.canWrite && moveActs(pathTo, isAlone)}
</div></details>`
}

/** What is done more rarely, under “More”. */
function laterActs(path: string, state: ConversationState | undefined, workspace: Workspace): Html {
  const isOwn = state?.assigneeId === workspace.session.personId
  const acts: Action[] = [
    { name: 'not-needed', label: 'No action needed', look: 'quiet' },
    ...(isOwn ? [{ name: 'give-back', label: 'Release', look: 'quiet' } as const] : []),
  ]
  return html`<form method="post" action="${path}">${acts.map(actButton)}</form>
${handOver(path, state, workspace)}`
}

/** Also to oneself, when somebody else has it. */
function handOver(
  path: string,
  state: ConversationState | undefined,
  { session, members }: Workspace,
): Html | undefined {
  const holderId = state?.assigneeId ?? ''
  const isOffered = (personId: string) => personId !== holderId && (holderId !== '' || personId !== session.personId)
  const others = members.filter(({ personId, role }) => role !== Role.VIEWER && isOffered(personId))
  if (others.length === 0) return undefined
  return html`<details class="hand-over linked"><summary>Give to …</summary>
<form class="row" method="post" action="${path}">
<input type="hidden" name="seen" value="${holderId}">
<label for="assignee">To</label>
<select id="assignee" name="assignee">${others.map(({ personId, name }) => html`<option value="${personId}">${personId === session.personId ? `${name} (you)` : name}</option>`)}</select>
<button class="second" name="act" value="hand-over">Give</button>
</form>
${others.some(({ personId }) => personId !== session.personId) && html`<p class="hint">They get an email that says so.</p>`}</details>`
}

function statusWords(state: ConversationState | undefined, readerId: string, clock: ReaderClock): Html | undefined {
  if (state === undefined) return undefined
  const { status, assigneeId, assigneeName, changedBy, changedAt } = state
  const isByHolder = changedBy === assigneeName
  const by = html`<span class="hint">${changedBy !== '' && !isByHolder && html`<bdi>${changedBy}</bdi>, `}${changedAt && whenOf(changedAt, clock)}</span>`
  if (status === ConversationStatus.TAKEN)
    return html`<p class="status-word taken"><strong>${assigneeId === readerId ? 'You’re on it' : html`<bdi>${assigneeName}</bdi> is on it`}</strong> ${by}</p>`
  if (status === ConversationStatus.DONE) return html`<p class="status-word finished"><strong>Done</strong> ${by}</p>`
  if (status === ConversationStatus.NOT_NEEDED)
    return html`<p class="status-word finished"><strong>No action needed</strong> ${by}</p>`
  return html`<p class="status-word"><strong>Open</strong> <span class="hint">Not taken</span></p>`
}

export function isFinished(state: ConversationState | undefined): boolean {
  return state?.status === ConversationStatus.DONE || state?.status === ConversationStatus.NOT_NEEDED
}
