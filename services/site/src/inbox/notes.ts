import { randomUUID } from 'node:crypto'
import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Note } from '@family-inbox/proto/inbox/v1/inbox'
import { type FieldErrors, textArea } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { whenOf } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import type { Workspace } from '../shell/workspace.ts'
import { linkedText } from './linked-text.ts'
import { type MailList, withList } from './mail-list.ts'
import type { OpenMessage } from './read-message.ts'

export type NoteForm = { text: string; key: string; errors: FieldErrors }

export function newNote(): NoteForm {
  return { text: '', key: randomUUID(), errors: {} }
}

/** The family's notes, apart from everything that was sent or received. */
export function notesSection(
  { query, workspace }: MailList,
  open: OpenMessage,
  form: NoteForm,
  clock: ReaderClock,
): Html | undefined {
  const { notes, message } = open.message
  if (notes.length === 0 && !workspace.canWrite) return undefined
  const path = `/inbox/${open.lovedOne.id}/${message.id}/notes`
  return html`<section class="notes" id="notes" aria-labelledby="notes-title">
<h2 id="notes-title">Family notes</h2>
<p class="hint">Only your family sees them. They are never sent.</p>
${notes.length > 0 && html`<ol class="note-list">${notes.map((note) => noteItem(note, withList(`${path}/delete`, query), workspace, clock))}</ol>`}
${workspace.canWrite && noteForm(withList(path, query), form)}
</section>`
}

function noteItem(
  { id, personId, name, text, createdAt }: Note,
  path: string,
  workspace: Workspace,
  clock: ReaderClock,
): Html {
  const isAllowed = workspace.canWrite && (personId === workspace.session.personId || workspace.role === Role.OWNER)
  return html`<li class="note"><p class="note-head"><span class="note-word">Note</span> <strong><bdi>${name}</bdi></strong> <span class="hint">${createdAt && whenOf(createdAt, clock)}</span></p>
<div class="body" dir="auto">${linkedText(text)}</div>
${
  isAllowed &&
  html`<form method="post" action="${path}"><input type="hidden" name="note" value="${id}"><button class="quiet">Delete note<span class="unseen"> of <bdi>${name}</bdi></span></button></form>`
}</li>`
}

/** Open when it holds something. */
export function noteForm(path: string, { text, key, errors }: NoteForm): Html {
  const isOpen = text !== '' || Object.keys(errors).length > 0
  return html`<details class="linked"${isOpen && html` open`}><summary>Add a note</summary>
<form method="post" action="${path}" novalidate>
<input type="hidden" name="key" value="${key}">
${textArea({ name: 'note', label: 'Your note', hint: 'Write @ and a name to tell someone about it.', rows: 3, maxlength: 2000, value: text, error: errors.note })}
<button>Add note</button>
</form></details>`
}
