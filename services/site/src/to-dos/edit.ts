import { createHash } from 'node:crypto'
import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, selectField, textField, toFieldErrors } from '../shell/fields.ts'
import { html } from '../shell/html.ts'
import { messagePath } from '../shell/inbox-paths.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import {
  requireLovedOne,
  requireWriter,
  undefinedIfMissing,
  type Workspace,
  type WorkspaceHandler,
} from '../shell/workspace.ts'
import { readToDo } from './to-do.ts'
import { TO_DOS_PATH, toDoPath } from './to-do-words.ts'

const ERRORS = {
  text: 'Enter what to do in one line, up to 200 characters',
  day: 'Choose a day, or leave it empty',
  who: 'Choose someone from the list. They may have left, or can only read now',
}
const MAX_TEXT = 200

type Values = { text: string; for: string; day: string; who: string }
type Hidden = { request: string; message: string; about: string; version: string }

/** Fills in what a message is about, or what one of its notes says. */
export function showAddToDo(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    requireWriter(workspace)
    const { lovedOnes } = workspace
    const only = lovedOnes.length === 1 ? lovedOnes[0] : undefined
    const about = (lovedOnes.find(({ id }) => id === visit.query('for')) ?? only)?.id ?? ''
    const message = visit.query('message').slice(0, 128)
    const ids = { lovedOneId: about, messageId: message }
    const found = message === '' ? undefined : await readFound(ctx, visit, workspace, ids)
    const hidden = { request: newId('form'), message: found ? message : '', about, version: '' }
    const values = { text: found?.text ?? '', for: about, day: found?.day ?? '', who: '' }
    return { page: formPage({ workspace, values, hidden, errors: {} }) }
  }
}

type Found = { text: string; day?: string }
type MessageIds = { lovedOneId: string; messageId: string }

/** Read again, since what a message says does not belong in an address. Undefined for a message that is not there. */
async function readFound(
  ctx: Context,
  visit: Visit,
  { session }: Workspace,
  ids: MessageIds,
): Promise<Found | undefined> {
  const person = asPerson(session, visit)
  const task = await readTask(ctx, visit.query('task'), ids, person).catch(() => undefined)
  if (task !== undefined) return task
  const request = { ...ids, markRead: false }
  const opened = await ctx.inbox.openMessage(request, person).catch(undefinedIfMissing)
  if (opened === undefined) return undefined
  const note = opened.notes.find(({ id }) => id === visit.query('note'))
  const text = (note?.text ?? opened.message?.subject ?? '').replaceAll(/\s+/g, ' ').trim()
  return { text: [...text].slice(0, MAX_TEXT).join('') }
}

/** What a calendar file of the message says is to be done. @param name the attachment and the place in it, as `0-0` */
async function readTask(
  ctx: Context,
  name: string,
  ids: MessageIds,
  person: ReturnType<typeof asPerson>,
): Promise<Found | undefined> {
  const [, index, place] = /^(\d{1,3})-(\d{1,2})$/.exec(name) ?? []
  if (index === undefined) return undefined
  const request = { ...ids, index: Number(index), page: 0, large: false }
  for await (const { tasks } of ctx.inbox.previewAttachment(request, person)) return tasks[Number(place)]
  return undefined
}

export function addToDo(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { values, hidden } = readForm(visit)
    if (values.for !== '') requireLovedOne(workspace, values.for)
    const request = {
      text: values.text,
      day: values.day,
      lovedOneId: values.for,
      assigneeId: values.who,
      messageId: hidden.message,
      messageLovedOneId: hidden.about,
      idempotencyKey: keyOf(hidden.request || newId('form'), values),
    }
    try {
      const { toDoId } = await ctx.careCircle.addToDo(request, asPerson(workspace.session, visit))
      return { redirectTo: toDoPath({ id: toDoId }), flash: 'appointment-added' }
    } catch (error) {
      return { page: formPage({ workspace, values, hidden, errors: readErrors(error) }), status: 422 }
    }
  }
}

/** Includes what was typed: Back and another text adds another to-do. */
function keyOf(request: string, values: Values): string {
  return createHash('sha256')
    .update(JSON.stringify([request, values]))
    .digest('hex')
}

export function showChangeToDo(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    requireWriter(workspace)
    const { id, text, day, lovedOneId, version, removedAt } = await readToDo(ctx, visit, workspace)
    if (removedAt) return { redirectTo: toDoPath({ id }) }
    const values = { text, day, for: lovedOneId, who: '' }
    const hidden = { request: '', message: '', about: '', version: String(version) }
    return { page: formPage({ workspace, values, hidden, errors: {}, id }) }
  }
}

export function changeToDo(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const id = visit.id('id')
    const { values, hidden } = readForm(visit)
    const version = Number(hidden.version) || 0
    const request = { toDoId: id, version, text: values.text, day: values.day, lovedOneId: values.for }
    try {
      await ctx.careCircle.changeToDo(request, asPerson(workspace.session, visit))
      return { redirectTo: toDoPath({ id }), flash: 'appointment-changed' }
    } catch (error) {
      return { page: formPage({ workspace, values, hidden, errors: readErrors(error), id }), status: 422 }
    }
  }
}

function readErrors(error: unknown): FieldErrors {
  // Somebody else was faster, or there is no space: what was typed stays in the form.
  if (error instanceof StatusError && error.status === 'FAILED_PRECONDITION') return { text: error.message }
  return toFieldErrors(error, ERRORS, { assigneeId: 'who' })
}

function readForm(visit: Visit): { values: Values; hidden: Hidden } {
  const field = (name: string) => visit.field(name).slice(0, 1000).trim()
  return {
    values: { text: field('text'), for: field('for'), day: field('day'), who: field('who') },
    hidden: {
      request: field('request'),
      message: field('message'),
      about: field('about'),
      version: field('version'),
    },
  }
}

type FormData = { workspace: Workspace; values: Values; hidden: Hidden; errors: FieldErrors; id?: string }

function formPage({ workspace, values, hidden, errors, id }: FormData): Page {
  const title = id === undefined ? 'Add a to-do' : 'Change to-do'
  const { members, lovedOnes, session } = workspace
  const people = lovedOnes.map((lovedOne) => ({ value: lovedOne.id, label: lovedOne.name }))
  const writers = members.filter(({ role }) => role !== Role.VIEWER)
  const takers = writers.map(({ personId, name }) => ({
    value: personId,
    label: personId === session.personId ? `${name} (you)` : name,
  }))
  const { message, about } = hidden
  return sectionPage(
    { id: 'inbox', workspace },
    {
      title,
      hasErrors: Object.keys(errors).length > 0,
      main: html`<p class="up"><a href="${TO_DOS_PATH}">To do</a></p>
${errorSummary(errors)}
<h1>${title}</h1>
<form method="post" action="${id === undefined ? `${TO_DOS_PATH}/new` : toDoPath({ id }, 'change')}" novalidate>
<input type="hidden" name="request" value="${hidden.request}">
<input type="hidden" name="message" value="${message}"><input type="hidden" name="about" value="${about}">
<input type="hidden" name="version" value="${hidden.version}">
${textField({ name: 'text', label: 'What', hint: 'For example, “Pick up the prescription”.', maxlength: MAX_TEXT, value: values.text, error: errors.text })}
${textField({ name: 'day', label: 'By when', type: 'date', value: values.day, error: errors.day, optional: true })}
${selectField({ name: 'for', label: 'For', options: [{ value: '', label: 'The whole family' }, ...people], value: values.for })}
${id === undefined && selectField({ name: 'who', label: 'Who takes it', options: [{ value: '', label: 'Nobody yet' }, ...takers], value: values.who, ...(errors.who && { error: errors.who }) })}
${message !== '' && html`<p class="hint">It will lead to <a href="${messagePath({ lovedOneId: about, messageId: message })}">the message</a>.</p>`}
<button>${title}</button>
</form>`,
    },
  )
}
