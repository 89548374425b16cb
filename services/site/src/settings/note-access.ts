import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import type { Page } from '../shell/page.ts'
import { asPerson } from '../shell/session.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { settingsPage } from './settings-page.ts'

export function showNoteAccess(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { assistantsCanRead } = await ctx.inbox.getNoteAccess({}, asPerson(workspace.session, visit))
    return { page: noteAccessPage(workspace, assistantsCanRead || visit.restoredField('allowed') !== '') }
  }
}

export function setNoteAccess(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const assistantsCanRead = visit.field('allowed') !== ''
    await ctx.inbox.setNoteAccess({ assistantsCanRead }, asPerson(workspace.session, visit))
    return { redirectTo: '/settings/notes', flash: assistantsCanRead ? 'notes-shared' : 'notes-private' }
  }
}

function noteAccessPage(workspace: Workspace, isAllowed: boolean): Page {
  return settingsPage({
    workspace,
    title: 'Family notes',
    main: html`<h1>Family notes</h1>
<p>Notes below a message are for your family. They are never part of a reply, and assistants can’t read them unless the owner allows it.</p>
${
  workspace.role === Role.OWNER
    ? html`<form method="post" action="/settings/notes">
<label class="tick"><input type="checkbox" name="allowed" value="1"${isAllowed && html` checked`}> <span>Your family’s assistants can read notes<span class="hint">They get them with the message. This is for everyone’s assistants.</span></span></label>
<button>Save</button>
</form>`
    : html`<p>${isAllowed ? 'Assistants can read notes now.' : 'Assistants can’t read notes now.'} Only the owner can change this.</p>`
}`,
  })
}
