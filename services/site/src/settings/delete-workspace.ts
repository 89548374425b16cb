import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, textField } from '../shell/fields.ts'
import { html } from '../shell/html.ts'
import type { Page } from '../shell/page.ts'
import { listWords } from '../shell/parts.ts'
import { asPerson } from '../shell/session.ts'
import { requireOwner, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { isConfirmed, settingsPage } from './settings-page.ts'

export function showDeleteWorkspace(): WorkspaceHandler {
  return async (visit, workspace) => {
    requireOwner(workspace)
    return { page: deleteWorkspacePage({ workspace, values: { confirm: visit.restoredField('confirm') }, errors: {} }) }
  }
}

export function deleteWorkspace(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    requireOwner(workspace)
    const confirm = visit.field('confirm').slice(0, 1000)
    if (!isConfirmed(confirm, workspace.name)) {
      const errors = { confirm: 'Enter the name exactly as shown' }
      return { status: 422, page: deleteWorkspacePage({ workspace, values: { confirm }, errors }) }
    }
    await ctx.careCircle.deleteWorkspace({}, asPerson(workspace.session, visit))
    return { redirectTo: '/families', flash: 'workspace-deleted' }
  }
}

const BACK = { label: 'Your data', href: '/settings/your-data' }

type DeleteWorkspaceData = { workspace: Workspace; values: { confirm: string }; errors: FieldErrors }

function deleteWorkspacePage({ workspace, values, errors }: DeleteWorkspaceData): Page {
  const { name, lovedOnes } = workspace
  const names = listWords(lovedOnes.map((lovedOne) => lovedOne.name))
  return settingsPage({
    workspace,
    title: 'Delete your family’s inbox?',
    back: BACK,
    hasErrors: Object.keys(errors).length > 0,
    main: html`${errorSummary(errors)}
<h1>Delete the inbox of <bdi>${name}</bdi>?</h1>
<p>This can’t be undone, by you or by us. <a href="${BACK.href}">Download everything first</a> if anyone may need it later.</p>
<h2>What is deleted for everyone</h2>
<ul>
<li>All mail${lovedOnes.length > 0 && html` for <bdi>${names}</bdi>`}, its attachments, and all replies.</li>
<li>The care circle, the timeline, invitations, and codes.</li>
<li>All tool keys, connected apps, and assistant activity.</li>
<li>The private addresses. Mail to them is refused, and they are never reused.</li>
</ul>
<h2>What stays</h2>
<ul>
<li>Everyone’s accounts, and other families they belong to.</li>
<li>Forwarded mail in its original mailboxes, and replies that were already delivered.</li>
<li>Copies that connected assistants or care agencies keep.</li>
</ul>
<p class="hint">Access ends immediately. Everything is deleted within minutes.</p>
<form method="post" action="/settings/your-data/delete-family" novalidate>
${textField({
  name: 'confirm',
  label: 'To confirm, enter the name',
  hint: name,
  maxlength: 200,
  value: values.confirm,
  error: errors.confirm,
})}
<div class="row"><button class="danger">Delete permanently</button> <a href="${BACK.href}">Go back</a></div>
</form>`,
  })
}
