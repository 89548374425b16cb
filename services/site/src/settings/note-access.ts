import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { ASSISTANTS } from './settings-list.ts'

/** What assistants can read beside mail. */
type Access = { notes: boolean; files: boolean }

/** A section of Your assistants. Only the owner changes it. */
export async function noteAccessSection(ctx: Context, visit: Visit, { session, role }: Workspace): Promise<Html> {
  const { assistantsCanRead, assistantsCanReadFiles = false } = await ctx.inbox.getNoteAccess(
    {},
    asPerson(session, visit),
  )
  const access = {
    notes: assistantsCanRead || visit.restoredField('allowed') !== '',
    files: assistantsCanReadFiles || visit.restoredField('files') !== '',
  }
  return html`<h2 id="notes" tabindex="-1">Notes and documents</h2>
<p>Assistants get the text of mail, and the names and sizes of its files. They don’t get what is below unless the owner allows it.</p>
${role === Role.OWNER ? accessForm(access) : accessWords(access)}`
}

export function setNoteAccess(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const request = {
      assistantsCanRead: visit.field('allowed') !== '',
      assistantsCanReadFiles: visit.field('files') !== '',
    }
    await ctx.inbox.setNoteAccess(request, asPerson(workspace.session, visit))
    return { redirectTo: ASSISTANTS.href, flash: 'reading-changed' }
  }
}

function accessForm({ notes, files }: Access): Html {
  return html`<form method="post" action="/settings/notes">
<label class="tick"><input type="checkbox" name="allowed" value="1"${notes && html` checked`}> <span>Your family’s assistants can read notes<span class="hint">Notes below a message are for your family, and never part of a reply. Assistants get them with the message.</span></span></label>
<label class="tick"><input type="checkbox" name="files" value="1"${files && html` checked`}> <span>They can read what PDFs say<span class="hint">Lab reports and letters are often attached. Assistants get their text with the message, never the file. Pictures stay pictures.</span></span></label>
<p class="hint">This is for everyone’s assistants.</p>
<button>Save</button>
</form>`
}

function accessWords({ notes, files }: Access): Html {
  return html`<p>${notes ? 'Assistants can read notes now.' : 'Assistants can’t read notes now.'} ${
    files ? 'They can read what PDFs say.' : 'They can’t read what PDFs say.'
  } Only the owner can change this.</p>`
}
