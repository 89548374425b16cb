import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { GetStorageResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { sizeWords } from '../inbox/file-words.ts'
import { type Html, html } from '../shell/html.ts'
import { calendarDay } from '../shell/moment.ts'
import type { Page } from '../shell/page.ts'
import { asPerson } from '../shell/session.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { zipWorkspace } from './export-workspace.ts'
import { settingsPage } from './settings-page.ts'

/** Shows what can be done with what is kept: take it along, leave it, delete it; and how much there is. */
export function showYourData(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const storage = await ctx.inbox.getStorage({}, asPerson(workspace.session, visit)).catch(() => undefined)
    return { page: yourDataPage({ workspace, storage }) }
  }
}

/** Answers with everything the household has that the reader may read. So many times a day, since it is a lot of work. */
export function downloadData(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    await ctx.auth.beginExport({}, asPerson(workspace.session, visit))
    const body = await zipWorkspace(ctx, visit, workspace)
    const filename = `family-care-inbox-${calendarDay(visit.clock.now, visit.clock)}.zip`
    const headers = {
      'Content-Type': 'application/zip',
      'Content-Disposition': `attachment; filename="${filename}"`,
    }
    return { headers, body }
  }
}

type YourData = {
  workspace: Workspace
  /** Undefined while it cannot be told. */
  storage: GetStorageResponse | undefined
}

/** What is kept is theirs: to take along, to leave, to delete. */
function yourDataPage({ workspace, storage }: YourData): Page {
  const isOwner = workspace.role === Role.OWNER
  return settingsPage({
    workspace,
    title: 'Your data',
    main: html`<h1>Your data</h1>
<h2>Take it with you</h2>
<p>A zip file with everything <bdi>${workspace.name}</bdi> has here: each mail as it arrived, its attachments, replies, the care circle, the timeline, and what ${
      isOwner ? 'everyone’s' : 'your'
    } assistants did. Mail opens in any mail program, the rest in any text editor.</p>
<p class="hint">It holds health information, so keep it safe. A large inbox takes some minutes.</p>
<form method="post" action="/settings/your-data/download"><button>Download everything</button></form>
${storage && storageUsed(storage)}
<h2>Leave or delete</h2>
<ul class="rows">
<li><a class="go" href="/care-circle/leave"><strong>Leave this household</strong> <span>You lose sight of it; the others keep everything</span></a></li>
<li><a class="go" href="/settings/your-data/delete-account"><strong>Delete your account</strong> <span>You leave every household, and we forget you</span></a></li>
${
  isOwner &&
  html`<li><a class="go" href="/settings/your-data/delete-family"><strong>Delete the household</strong> <span>Everything in it goes, for everyone, for good</span></a></li>`
}
</ul>`,
  })
}

function storageUsed({ usedBytes, limitBytes, nearlyFull }: GetStorageResponse): Html {
  return html`<h2>Storage</h2>
<p id="storage">Your family’s mail uses ${sizeWords(usedBytes)} of ${sizeWords(limitBytes)}.</p>
${nearlyFull && html`<p class="notice">Your storage is nearly full. When it is full, new mail has to wait with its sender, who gives up after a few days.</p>`}`
}
