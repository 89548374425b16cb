import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { GetStorageResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { calendarDay } from '../shell/moment.ts'
import type { Page } from '../shell/page.ts'
import { sizeWords } from '../shell/parts.ts'
import { asPerson } from '../shell/session.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { zipWorkspace } from './export-workspace.ts'
import { settingsPage } from './settings-page.ts'

export function showYourData(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const storage = await ctx.inbox.getStorage({}, asPerson(workspace.session, visit)).catch(() => undefined)
    return { page: yourDataPage({ workspace, storage }) }
  }
}

/** Downloads everything the reader may read; auth limits it per day, because it is expensive. */
export function downloadData(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    await ctx.auth.beginExport({}, asPerson(workspace.session, visit))
    const body = await zipWorkspace(ctx, visit, workspace)
    await ctx.recordAct(workspace.session, { act: 'download_export' })
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
  /** Undefined when inbox is unavailable. */
  storage: GetStorageResponse | undefined
}

function yourDataPage({ workspace, storage }: YourData): Page {
  const isOwner = workspace.role === Role.OWNER
  return settingsPage({
    workspace,
    title: 'Your data',
    main: html`<h1>Your data</h1>
<h2>Download</h2>
<p>Get a zip file with everything in <bdi>${workspace.name}</bdi>: original mail, attachments, replies, the care circle, the timeline, and ${
      isOwner ? 'everyone’s' : 'your'
    } activity, of people and assistants. Mail opens in any mail program, the rest in any text editor.</p>
<p class="hint">It contains health information, so store it safely. A large inbox takes a few minutes.</p>
<form method="post" action="/settings/your-data/download"><button>Download everything</button></form>
${storage && storageUsed(storage)}
<h2>Leave or delete</h2>
<ul class="rows">
<li><a class="go" href="/care-circle/leave"><strong>Leave this care circle</strong> <span>You lose access. The others keep everything</span></a></li>
<li><a class="go" href="/settings/your-data/delete-account"><strong>Delete your account</strong> <span>You leave every family, and your personal data is removed</span></a></li>
${
  isOwner &&
  html`<li><a class="go" href="/settings/your-data/delete-family"><strong>Delete your family’s inbox</strong> <span>Permanently deletes everything for everyone</span></a></li>`
}
</ul>`,
  })
}

function storageUsed({ usedBytes, limitBytes, nearlyFull }: GetStorageResponse): Html {
  return html`<h2>Storage</h2>
<p id="storage">Your family’s mail uses ${sizeWords(usedBytes)} of ${sizeWords(limitBytes)}.</p>
${nearlyFull && html`<p class="notice">Your storage is nearly full. When it’s full, new mail waits at the sender’s server, which gives up after a few days.</p>`}`
}
