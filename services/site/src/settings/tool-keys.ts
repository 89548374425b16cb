import { Access, type ToolKey } from '@family-inbox/proto/auth/v1/auth'
import { newId } from '@family-inbox/service-kit/ids/ids'
import type { Context } from '../context.ts'
import { accessField, readAccess } from '../shell/access-field.ts'
import { errorSummary, type FieldErrors, textField } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { dayOf, whenOf } from '../shell/moment.ts'
import type { Page } from '../shell/page.ts'
import { paging, withQuery } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { ASSISTANTS } from './settings-list.ts'
import { settingsPage } from './settings-page.ts'

export function showToolKeys(ctx: Context): WorkspaceHandler {
  return (visit, workspace) => toolKeysReply(ctx, visit, workspace)
}

type ToolKeyForm = { values: { name: string; access?: string }; errors: FieldErrors }

const PAGE_SIZE = 100

export async function toolKeysReply(
  ctx: Context,
  visit: Visit,
  workspace: Workspace,
  form?: ToolKeyForm,
): Promise<Reply> {
  const pageToken = visit.query('after')
  const request = { pageSize: PAGE_SIZE, pageToken }
  const { keys, nextPageToken } = await ctx.auth.listToolKeys(request, asPerson(workspace.session, visit))
  const page = toolKeysPage({
    workspace,
    clock: visit.clock,
    keys,
    nextPageToken,
    isFirstPage: pageToken === '',
    requestId: newId('req'),
    ...(form ?? { values: { name: visit.restoredField('name'), access: visit.restoredField('access') }, errors: {} }),
  })
  return { page, status: form ? 422 : 200 }
}

type ToolKeysData = {
  workspace: Workspace
  clock: ReaderClock
  keys: ToolKey[]
  nextPageToken: string
  isFirstPage: boolean
  /** The form's idempotency key. */
  requestId: string
  values: { name: string; access?: string }
  errors: FieldErrors
}

const PATH = '/settings/tool-keys'

function toolKeysPage(data: ToolKeysData): Page {
  const { workspace, clock, keys, nextPageToken, isFirstPage, errors } = data
  const revoked = keys.filter(({ revokedAt }) => revokedAt !== undefined)
  return settingsPage({
    workspace,
    title: 'Tool keys',
    back: ASSISTANTS,
    hasErrors: Object.keys(errors).length > 0,
    main: html`${errorSummary(errors)}
<h1>Tool keys</h1>
<p>A tool key lets an assistant on your computer, such as Claude Code or Cursor, read the mail of <bdi>${workspace.name}</bdi> as you${
      workspace.canWrite && ', and reply and invite people in your name'
    }. Create one key for each assistant, so you can pause or disconnect them separately. Your active keys are among <a href="${ASSISTANTS.href}">Your assistants</a>.</p>
${isFirstPage && mintForm(data)}
${revoked.length > 0 && html`<h2>Revoked</h2><ul class="rows">${revoked.map((key) => revokedRow(key, clock))}</ul>`}
${paging({
  firstHref: isFirstPage ? undefined : PATH,
  nextHref: nextPageToken === '' ? undefined : withQuery(PATH, { after: nextPageToken }),
  words: { first: 'Newest keys', next: 'Older keys' },
})}`,
  })
}

function revokedRow({ name, createdAt, revokedAt }: ToolKey, clock: ReaderClock): Html {
  return html`<li class="item"><div><h3><bdi>${name}</bdi></h3>
<p class="hint">Created ${createdAt && dayOf(createdAt, clock)} · revoked ${revokedAt && whenOf(revokedAt, clock)}</p></div></li>`
}

function mintForm({ requestId, values, errors }: ToolKeysData): Html {
  return html`<form class="panel" method="post" action="${PATH}" novalidate>
<h2>Create a key</h2>
<input type="hidden" name="request" value="${requestId}">
${textField({
  name: 'name',
  label: 'Name',
  hint: 'For example, “Claude Code on my laptop”. It appears in assistant activity.',
  maxlength: 80,
  value: values.name,
  error: errors.name,
})}
${accessField(readAccess(values.access ?? '') ?? Access.APPROVAL)}
<button>Create key</button>
</form>`
}
