import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { State } from '@family-inbox/workspace-kit/status-rule'
import { type Html, html } from './html.ts'
import { whenOf } from './moment.ts'
import type { ReaderClock } from './reader-clock.ts'
import type { Workspace } from './workspace.ts'

/** The names of acts in forms. */
export type ActName = 'take' | 'hand-over' | 'give-back' | 'done' | 'not-needed' | 'open-again'

/** Of a message or a to-do, for its page. */
export type ShownState = State & { changedAt?: Date | undefined }

export type ActButton = { name: ActName; label: Html | string; look: 'main' | 'second' | 'quiet' }

export function actButton({ name, label, look }: ActButton): Html {
  return html`<button name="act" value="${name}" class="${look}">${label}</button>`
}

/** What is done often. Undefined means that nobody needs to do anything about it. */
export function mainActs(state: State | undefined, { session }: Pick<Workspace, 'session'>): ActButton[] {
  if (isFinishedState(state)) return [{ name: 'open-again', label: 'Open again', look: 'second' }]
  const isOwn = state?.assigneeId === session.personId
  const done: ActButton = { name: 'done', label: 'Done', look: isOwn ? 'main' : 'second' }
  return state?.assigneeId ? [done] : [{ name: 'take', label: 'I’ll take this', look: 'main' }, done]
}

export const RELEASE: ActButton = { name: 'give-back', label: 'Release', look: 'quiet' }

type HandOver = { path: string; state: State | undefined; workspace: Workspace; hint?: string }

/** Also to oneself, when somebody else has it. */
export function handOver({ path, state, workspace, hint }: HandOver): Html | undefined {
  const { session, members } = workspace
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
${hint && others.some(({ personId }) => personId !== session.personId) && html`<p class="hint">${hint}</p>`}</details>`
}

export function statusWords(state: ShownState | undefined, readerId: string, clock: ReaderClock): Html | undefined {
  if (state === undefined) return undefined
  const { status, assigneeName, changedByName = '', changedAt } = state
  const isByHolder = changedByName === assigneeName
  const by = html`<span class="hint">${changedByName !== '' && !isByHolder && html`<bdi>${changedByName}</bdi>, `}${changedAt && whenOf(changedAt, clock)}</span>`
  if (status === 'taken')
    return html`<p class="status-word taken"><strong>${holderWords(state, readerId)}</strong> ${by}</p>`
  if (status === 'done') return html`<p class="status-word finished"><strong>Done</strong> ${by}</p>`
  if (status === 'not_needed') return html`<p class="status-word finished"><strong>No action needed</strong> ${by}</p>`
  return html`<p class="status-word"><strong>Open</strong> <span class="hint">Not taken</span></p>`
}

/** "You’re on it", "Ana is on it". */
export function holderWords({ assigneeId, assigneeName }: State, readerId: string): Html | string {
  return assigneeId === readerId ? 'You’re on it' : html`<bdi>${assigneeName}</bdi> is on it`
}

function isFinishedState(state: State | undefined): boolean {
  return state?.status === 'done' || state?.status === 'not_needed'
}
