import { type ToDo, ToDoAction } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import type { FlashName } from '../shell/flash.ts'
import { type Html, html } from '../shell/html.ts'
import { messagePath } from '../shell/inbox-paths.ts'
import { dayOf, whenOf } from '../shell/moment.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { initialsBadge } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import { actButton, handOver, mainActs, RELEASE, statusWords } from '../shell/status-acts.ts'
import type { Visit } from '../shell/visit.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { pathAfter, undoForms } from './back-to.ts'
import { dayWords, stateOf, TO_DOS_PATH, toDoPath } from './to-do-words.ts'

export function showToDo(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const toDo = await readToDo(ctx, visit, workspace)
    return { page: toDoPage(toDo, workspace, visit.clock) }
  }
}

/** @throws StatusError NOT_FOUND */
export async function readToDo(ctx: Context, visit: Visit, { session }: Workspace): Promise<ToDo> {
  const { toDo } = await ctx.careCircle.getToDo({ toDoId: visit.id('id') }, asPerson(session, visit))
  if (toDo !== undefined) return toDo
  throw new StatusError('NOT_FOUND', 'There is no such to-do in your family.')
}

const ACTIONS: Readonly<Record<string, { action: ToDoAction; flash: FlashName }>> = {
  take: { action: ToDoAction.TAKE, flash: 'message-taken' },
  'hand-over': { action: ToDoAction.HAND_OVER, flash: 'to-do-handed-over' },
  'give-back': { action: ToDoAction.GIVE_BACK, flash: 'message-given-back' },
  done: { action: ToDoAction.DONE, flash: 'to-do-done' },
  'open-again': { action: ToDoAction.OPEN_AGAIN, flash: 'message-open-again' },
}

const UNKNOWN = { action: ToDoAction.UNSPECIFIED, flash: undefined }

/** Takes, hands over or finishes it. When somebody else was faster, its page shows who. */
export function changeToDoStatus(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const toDoId = visit.id('id')
    const name = visit.field('act')
    const { action, flash } = (Object.hasOwn(ACTIONS, name) && ACTIONS[name]) || UNKNOWN
    const [assigneeId, seenAssigneeId] = ['assignee', 'seen'].map((field) => visit.field(field).slice(0, 128))
    const request = { toDoId, action, assigneeId: assigneeId ?? '', seenAssigneeId: seenAssigneeId ?? '' }
    try {
      await ctx.careCircle.changeToDoStatus(request, asPerson(workspace.session, visit))
      return { redirectTo: pathAfter(visit, workspace, toDoId), flash }
    } catch (error) {
      if (!(error instanceof StatusError) || error.status !== 'FAILED_PRECONDITION') throw error
      return { redirectTo: toDoPath({ id: toDoId }), flash: 'someone-was-faster' }
    }
  }
}

export function removeToDo(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    await ctx.careCircle.removeToDo({ toDoId: visit.id('id') }, asPerson(session, visit))
    return { redirectTo: toDoPath({ id: visit.id('id') }), flash: 'to-do-removed' }
  }
}

export function restoreToDo(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    await ctx.careCircle.restoreToDo({ toDoId: visit.id('id') }, asPerson(workspace.session, visit))
    return { redirectTo: pathAfter(visit, workspace, visit.id('id')), flash: 'to-do-restored' }
  }
}

function toDoPage(toDo: ToDo, workspace: Workspace, clock: ReaderClock): Page {
  const { id, text, day, lovedOneId, messageId, messageLovedOneId, addedBy, createdAt, removedAt } = toDo
  const about = workspace.lovedOnes.find((one) => one.id === lovedOneId)
  const title = removedAt ? html`<s><bdi>${text}</bdi></s>` : html`<bdi>${text}</bdi>`
  return sectionPage(
    { id: 'inbox', workspace },
    {
      title: text,
      undo: workspace.canWrite ? undoForms(id) : {},
      main: html`<article class="to-do-page">
<p class="up"><a href="${TO_DOS_PATH}">To do</a></p>
<h1>${title}</h1>
${removedAt ? removedNotice(toDo, workspace, clock) : statusBar(toDo, workspace, clock)}
<dl class="facts">
<div><dt>When</dt><dd>${day === '' ? 'No day' : dayWords(day, clock)}</dd></div>
<div><dt>For</dt><dd>${about ? html`${initialsBadge(about.name, about.position)} <bdi>${about.name}</bdi>` : 'The whole family'}</dd></div>
<div><dt>Added</dt><dd><bdi>${workspace.nameOf.get(addedBy) ?? 'Former member'}</bdi>${createdAt && html`, ${dayOf(createdAt, clock)}`}</dd></div>
</dl>
${messageId !== '' && html`<p><a href="${messagePath({ lovedOneId: messageLovedOneId, messageId })}">Open the message</a></p>`}
</article>`,
    },
  )
}

function statusBar(toDo: ToDo, workspace: Workspace, clock: ReaderClock): Html {
  const state = stateOf(toDo, workspace)
  const { personId } = workspace.session
  return html`<section class="status-bar" id="status" aria-label="Status">
${statusWords(state, personId, clock)}
${workspace.canWrite && html`<form class="row acts" method="post" action="${toDoPath(toDo, 'status')}">${mainActs(state, workspace).map(actButton)}</form>`}
${workspace.canWrite && moreActs(toDo, workspace)}
</section>`
}

/** A menu of what a to-do rarely needs. It opens without a script; inbox.js closes it. */
function moreActs(toDo: ToDo, workspace: Workspace): Html {
  const state = stateOf(toDo, workspace)
  const path = toDoPath(toDo, 'status')
  const isOwn = state.assigneeId === workspace.session.personId
  return html`<details class="more-acts linked"><summary>More<span class="unseen"> actions</span></summary>
<div class="menu">
${isOwn && html`<form method="post" action="${path}">${actButton(RELEASE)}</form>`}
${state.status !== 'done' && handOver({ path, state, workspace })}
<p><a href="${toDoPath(toDo, 'change')}">Change</a></p>
<form method="post" action="${toDoPath(toDo, 'remove')}"><button class="quiet">Remove</button></form>
</div></details>`
}

function removedNotice(toDo: ToDo, { canWrite }: Workspace, clock: ReaderClock): Html {
  const { removedAt } = toDo
  return html`<p class="notice">Removed ${removedAt && whenOf(removedAt, clock)}. It can be put back for 30 days.</p>
${canWrite && html`<form method="post" action="${toDoPath(toDo, 'restore')}"><button class="second">Put back</button></form>`}`
}
