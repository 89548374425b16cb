import { randomUUID } from 'node:crypto'
import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Note } from '@family-inbox/proto/inbox/v1/inbox'
import { type FieldErrors, textArea } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { whenOf } from '../shell/moment.ts'
import { listWords, withQuery } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import type { Workspace } from '../shell/workspace.ts'
import { linkedText } from './linked-text.ts'
import { type MailList, withList } from './mail-list.ts'
import { readMentions } from './mentions.ts'
import type { OpenMessage } from './read-message.ts'

/** How long its author sees whom it notifies. */
const NEW_MS = 10 * 60_000

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
): Html {
  const { notes, deletedNotes, message } = open.message
  const path = `/inbox/${open.lovedOne.id}/${message.id}/notes`
  const paths = (note: Note) => ({
    remove: withList(`${path}/delete`, query),
    toDo: withQuery('/to-dos/new', { for: open.lovedOne.id, message: message.id, note: note.id }),
  })
  return html`<section class="notes" id="notes" aria-labelledby="notes-title">
<h2 id="notes-title">Family notes</h2>
<p class="hint">Only your family sees them. They are never sent.</p>
${notes.length > 0 && html`<ol class="note-list">${notes.map((note) => noteItem(note, paths(note), workspace, clock))}</ol>`}
${deletedList(deletedNotes, withList(`${path}/restore`, query))}
${noteForm(withList(path, query), form, workspace.members)}
</section>`
}

/** For 30 days. */
function deletedList(notes: readonly Note[], path: string): Html | undefined {
  if (notes.length === 0) return undefined
  return html`<details class="linked"><summary>${notes.length === 1 ? '1 deleted note' : `${notes.length} deleted notes`}</summary>
<ol class="note-list">${notes.map(
    ({ id, name, text }) => html`<li class="note"><p class="note-head"><strong><bdi>${name}</bdi></strong></p>
<div class="body" dir="auto">${text}</div>
<form method="post" action="${path}"><input type="hidden" name="note" value="${id}"><button class="quiet">Put back<span class="unseen"> the note of <bdi>${name}</bdi></span></button></form></li>`,
  )}</ol></details>`
}

function noteItem(
  { id, personId, name, text, createdAt }: Note,
  paths: { remove: string; toDo: string },
  workspace: Workspace,
  clock: ReaderClock,
): Html {
  const isOwn = personId === workspace.session.personId
  const isAllowed = isOwn || workspace.role === Role.OWNER
  const isNew = isOwn && createdAt !== undefined && clock.now.getTime() - createdAt.getTime() < NEW_MS
  return html`<li class="note"><p class="note-head"><span class="note-word">Note</span> <strong><bdi>${name}</bdi></strong> <span class="hint">${createdAt && whenOf(createdAt, clock)}</span></p>
<div class="body" dir="auto">${withNames(text, workspace)}</div>
${isNew && whoIsTold(text, workspace)}
${workspace.canWrite && html`<p><a href="${paths.toDo}">Add a to-do<span class="unseen"> from the note of <bdi>${name}</bdi></span></a></p>`}
${
  isAllowed &&
  html`<form method="post" action="${paths.remove}"><input type="hidden" name="note" value="${id}"><button class="quiet">Delete note<span class="unseen"> of <bdi>${name}</bdi></span></button></form>`
}</li>`
}

/** The names of members are bold. */
function withNames(text: string, { members }: Workspace): Html {
  const parts: Html[] = []
  let from = 0
  for (const { start, end, personIds } of readMentions(text, members)) {
    if (personIds.length === 0) continue
    parts.push(linkedText(text.slice(from, start)), html`<strong>${text.slice(start, end)}</strong>`)
    from = end
  }
  return html`${parts}${linkedText(text.slice(from))}`
}

/** Says to its author who gets an email, and which name nobody here has. */
function whoIsTold(text: string, { members, nameOf, session }: Workspace): Html | undefined {
  const mentions = readMentions(text, members)
  const told = [...new Set(mentions.flatMap(({ personIds }) => personIds))].filter((id) => id !== session.personId)
  const unknown = mentions
    .filter(({ personIds }) => personIds.length === 0)
    .map(({ start, end }) => text.slice(start + 1, end))
  if (told.length === 0 && unknown.length === 0) return undefined
  const names = told.map((id) => nameOf.get(id) ?? 'Someone')
  return html`<p class="hint">${told.length > 0 && html`<bdi>${listWords(names)}</bdi> ${told.length === 1 ? 'gets' : 'get'} an email. `}${unknown.length > 0 && html`Nobody here is called <bdi>${listWords([...new Set(unknown)])}</bdi>.`}</p>`
}

/**
 * Open when it holds something.
 * @param members whom mentions.js suggests
 */
export function noteForm(
  path: string,
  { text, key, errors }: NoteForm,
  members: readonly { name: string }[] = [],
): Html {
  const isOpen = text !== '' || Object.keys(errors).length > 0
  return html`<details class="linked"${isOpen && html` open`}><summary>Add a note</summary>
<form method="post" action="${path}" novalidate data-names="${JSON.stringify(members.map(({ name }) => name))}">
<input type="hidden" name="key" value="${key}">
${textArea({ name: 'note', label: 'Your note', hint: 'Write @ and a name to tell someone about it.', rows: 3, maxlength: 2000, value: text, error: errors.note })}
<button>Add note</button>
</form></details>`
}
