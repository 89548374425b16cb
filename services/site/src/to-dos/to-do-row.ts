import type { ToDo } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Html, html } from '../shell/html.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { actButton, holderWords, mainActs } from '../shell/status-acts.ts'
import type { LovedOne, Workspace } from '../shell/workspace.ts'
import type { BackTo } from './back-to.ts'
import { dayWords, stateOf, toDoPath } from './to-do-words.ts'

export type RowData = {
  workspace: Workspace
  /** Undefined on a list of everyone's. */
  lovedOne: LovedOne | undefined
  clock: ReaderClock
  /** The page that an act leads back to. */
  back: BackTo
}

/** What it says, by when, for whom and with whom it is; and what the reader can do about it. */
export function toDoRow(toDo: ToDo, { workspace, lovedOne, clock, back }: RowData): Html {
  const { text, day, lovedOneId } = toDo
  const state = stateOf(toDo, workspace)
  const isSaid = lovedOne === undefined && workspace.lovedOnes.length > 1
  const about = isSaid && (workspace.lovedOnes.find(({ id }) => id === lovedOneId)?.name ?? 'The whole family')
  const facts = [
    day !== '' && state.status !== 'done' && dayWords(day, clock),
    about && html`<bdi>${about}</bdi>`,
    state.status === 'taken' && holderWords(state, workspace.session.personId),
    state.status === 'done' && doneWords(state.changedByName),
  ].filter((fact) => fact !== false)
  return html`<li class="to-do"><div><a href="${toDoPath(toDo)}"><bdi>${text}</bdi></a>
${facts.length > 0 && html`<p class="hint">${facts.map((fact, index) => html`${index > 0 && ' · '}${fact}`)}</p>`}</div>
${
  workspace.canWrite &&
  html`<form method="post" action="${toDoPath(toDo, 'status')}">
<input type="hidden" name="back" value="${back}"><input type="hidden" name="for" value="${lovedOne?.id}">
${mainActs(state, workspace).map((act) => actButton({ ...act, label: html`${act.label}<span class="unseen">: <bdi>${text}</bdi></span>`, look: 'second' }))}
</form>`
}</li>`
}

function doneWords(name = ''): Html {
  return html`Done${name !== '' && html`, <bdi>${name}</bdi>`}`
}
