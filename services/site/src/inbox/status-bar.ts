import { type ConversationState, ConversationStatus, StatusAction } from '@family-inbox/proto/inbox/v1/inbox'
import { type Html, html } from '../shell/html.ts'
import { withQuery } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import {
  type ActButton,
  type ActName,
  actButton,
  handOver,
  mainActs,
  RELEASE,
  type ShownState,
  statusWords,
} from '../shell/status-acts.ts'
import type { Workspace } from '../shell/workspace.ts'
import { CATEGORY_WORDS, categoryWords } from './category-words.ts'
import { type MailList, withList } from './mail-list.ts'
import { moveActs } from './move-message.ts'
import type { OpenMessage } from './read-message.ts'

export const ACTIONS: Readonly<Record<ActName, StatusAction>> = {
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
  const shown = state && toShownState(state)
  const path = withList(`/inbox/${open.lovedOne.id}/${open.message.message.id}/status`, query)
  return html`<section class="status-bar" id="status" aria-label="Status">
${statusWords(shown, workspace.session.personId, clock)}
${workspace.canWrite && html`<form class="row acts" method="post" action="${path}">${mainActs(shown, workspace).map(actButton)}</form>`}
${moreActs(list, open, workspace.canWrite && !isFinished(state) && laterActs(path, shown, workspace))}
</section>`
}

const STATUSES: Partial<Record<ConversationStatus, ShownState['status']>> = {
  [ConversationStatus.TAKEN]: 'taken',
  [ConversationStatus.DONE]: 'done',
  [ConversationStatus.NOT_NEEDED]: 'not_needed',
}

function toShownState({ status, assigneeId, assigneeName, changedBy, changedAt }: ConversationState): ShownState {
  return { status: STATUSES[status] ?? 'open', assigneeId, assigneeName, changedByName: changedBy, changedAt }
}

/** A menu of what a message rarely needs. It opens without a script; inbox.js closes it. */
function moreActs({ query, workspace }: MailList, open: OpenMessage, acts: Html | false): Html {
  const pathTo = (form: string) => withList(`/inbox/${open.lovedOne.id}/${open.message.message.id}/${form}`, query)
  const isAlone = open.message.others.length === 0
  const current = categoryWords(open.message.message.category).name
  const newToDo = withQuery('/to-dos/new', { for: open.lovedOne.id, message: open.message.message.id })
  return html`<details class="more-acts linked"><summary>More<span class="unseen"> actions</span></summary>
<div class="menu">
${acts}
${workspace.canWrite && html`<p><a href="${newToDo}">Add a to-do</a></p>`}
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
<button class="quiet" type="button" data-print data-printed="/inbox/${open.lovedOne.id}/${open.message.message.id}/printed" hidden>Print</button>
${workspace.canWrite && rearrangeActs(pathTo, isAlone, workspace.lovedOnes.length > 1)}
${workspace.canWrite && moveActs(pathTo, isAlone)}
</div></details>`
}

/** What is done more rarely, under “More”. */
function laterActs(path: string, state: ShownState | undefined, workspace: Workspace): Html {
  const isOwn = state?.assigneeId === workspace.session.personId
  const acts: ActButton[] = [
    { name: 'not-needed', label: 'No action needed', look: 'quiet' },
    ...(isOwn ? [RELEASE] : []),
  ]
  return html`<form method="post" action="${path}">${acts.map(actButton)}</form>
${handOver({ path, state, workspace, hint: 'They get an email that says so.' })}`
}

export function isFinished(state: ConversationState | undefined): boolean {
  return state?.status === ConversationStatus.DONE || state?.status === ConversationStatus.NOT_NEEDED
}

/** For mail that is in the wrong conversation, or in the wrong inbox. */
function rearrangeActs(pathTo: (form: string) => string, isAlone: boolean, hasOthers: boolean): Html {
  return html`<p><a href="${pathTo('together')}">Put with another conversation</a></p>
${!isAlone && html`<form method="post" action="${pathTo('take-out')}"><button class="quiet">Take out of this conversation</button></form>`}
${hasOthers && html`<p><a href="${pathTo('somebody-else')}">About somebody else</a></p>`}`
}
