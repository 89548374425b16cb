import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, textField } from '../shell/field.ts'
import { html } from '../shell/html.ts'
import type { Page } from '../shell/page.ts'
import { asPerson } from '../shell/session.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { isConfirmed, settingsPage } from './settings-page.ts'

/** Asks the owner whether the household shall really go, and says what goes with it. */
export function showDeleteWorkspace(): WorkspaceHandler {
  return async (visit, workspace) => {
    requireWorkspaceOwner(workspace)
    return { page: deleteWorkspacePage({ workspace, values: { confirm: visit.restoredField('confirm') }, errors: {} }) }
  }
}

/** Deletes the household, once its owner has typed its name. */
export function deleteWorkspace(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    requireWorkspaceOwner(workspace)
    const confirm = visit.field('confirm').slice(0, 1000)
    if (!isConfirmed(confirm, workspace.name)) {
      const errors = { confirm: 'Type the name of the household just as it is shown' }
      return { status: 422, page: deleteWorkspacePage({ workspace, values: { confirm }, errors }) }
    }
    await ctx.careCircle.deleteWorkspace({}, asPerson(workspace.session, visit))
    return { redirectTo: '/families', flash: 'workspace-deleted' }
  }
}

/**
 * For pages that only the owner has a use for. care-circle decides what they may do.
 * @throws StatusError PERMISSION_DENIED
 */
function requireWorkspaceOwner({ role }: Workspace): void {
  if (role !== Role.OWNER) throw new StatusError('PERMISSION_DENIED', 'Only the owner of the household can do this.')
}

const BACK = { label: 'Your data', href: '/settings/your-data' }

type DeleteWorkspaceData = { workspace: Workspace; values: { confirm: string }; errors: FieldErrors }

/** Says what goes with a household and what stays, and has its name typed before it goes. */
function deleteWorkspacePage({ workspace, values, errors }: DeleteWorkspaceData): Page {
  const { name, lovedOnes } = workspace
  const names = list.format(lovedOnes.map((one) => one.name))
  return settingsPage({
    workspace,
    title: 'Delete the household?',
    back: BACK,
    hasErrors: Object.keys(errors).length > 0,
    main: html`${errorSummary(errors)}
<h1>Delete <bdi>${name}</bdi>?</h1>
<p>This cannot be undone, by you or by us. <a href="${BACK.href}">Download everything first</a> if anybody may want it later.</p>
<h2>What goes, for everyone</h2>
<ul>
<li>All mail${lovedOnes.length > 0 && html` of <bdi>${names}</bdi>`}, with its attachments, and all replies.</li>
<li>The care circle, invitations and codes, and the timeline.</li>
<li>Every key and connected app of this household, and the record of what assistants did.</li>
<li>The private addresses: mail to them is refused from now on, and nobody ever gets them again.</li>
</ul>
<h2>What stays</h2>
<ul>
<li>Your account and those of the others, and other households they belong to.</li>
<li>Mail your family forwarded stays in the mailboxes it was forwarded from, and replies with those who got them.</li>
<li>What assistants or agencies outside have read or keep themselves.</li>
</ul>
<p class="hint">Nobody can open it any more at once; the last of it is deleted within minutes.</p>
<form method="post" action="/settings/your-data/delete-family" novalidate>
${textField({
  name: 'confirm',
  label: 'To be sure, type the name of the household',
  hint: name,
  maxlength: 200,
  value: values.confirm,
  error: errors.confirm,
})}
<div class="row"><button class="danger">Delete it for good</button> <a href="${BACK.href}">Keep it</a></div>
</form>`,
  })
}

const list = new Intl.ListFormat('en-GB', { type: 'conjunction' })
