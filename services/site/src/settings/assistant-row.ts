import { Access } from '@family-inbox/proto/auth/v1/auth'
import { type Html, html } from '../shell/html.ts'
import { dayOf, whenOf } from '../shell/moment.ts'
import { withQuery } from '../shell/parts.ts'
import { scopeWords } from '../shell/permissions.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import type { Workspace } from '../shell/workspace.ts'
import { type Assistant, canWrite } from './list-assistants.ts'
import { pagesOf, pauseForm } from './pause-form.ts'

export function assistantRow(assistant: Assistant, workspace: Workspace, clock: ReaderClock): Html {
  const { id, name, kind, createdAt, lastUsedAt, pausedAt } = assistant
  const { change, disconnect } = pagesOf(assistant)
  return html`<li class="item"><div><h2><bdi>${name}</bdi>${pausedAt && html` <span class="tag off">Paused</span>`}</h2>
<p class="hint">${lastUsedAt ? html`Last used ${whenOf(lastUsedAt, clock)}` : 'Not used yet'} · ${kind === 'key' ? 'tool key created' : 'connected'} ${createdAt && dayOf(createdAt, clock)}</p>
${canDo(assistant, workspace)}
<div class="row">${pauseForm(assistant)} <a class="button second" href="${disconnect}">Disconnect<span class="unseen"> ${name}</span></a> <a href="${change}">Change<span class="unseen"> what ${name} can do</span></a> <a href="${withQuery('/settings/agent-activity', { assistant: id })}">Activity<span class="unseen"> of ${name}</span></a></div></div></li>`
}

function canDo({ scopes, access }: Assistant, { canWrite: isWriter }: Workspace): Html {
  const reads = scopes.map(scopeWords).filter(({ kind }) => kind === 'read')
  const isAllowed = isWriter && canWrite(scopes) && access !== Access.READ
  const writes = `It can ${scopeWords('care_circle:write').text}.`
  return html`<ul class="granted">${reads.map(({ text }) => html`<li>It can read ${text}.</li>`)}${
    isAllowed &&
    html`<li>${writes}${access === Access.APPROVAL && ' What it writes waits until a family member sends it.'}</li>`
  }</ul>
${!isAllowed && html`<p>It can’t send or change anything.</p>`}`
}
