import { Access, type ToolKey } from '@family-inbox/proto/auth/v1/auth'
import { newId } from '@family-inbox/service-kit/ids/ids'
import type { Context } from '../context.ts'
import { accessField, accessWords, readAccess } from '../shell/access-field.ts'
import { errorSummary, type FieldErrors, textField } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { dayOf, whenOf } from '../shell/moment.ts'
import type { Page } from '../shell/page.ts'
import { paging, withQuery } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { notFound, settingsPage } from './settings-page.ts'

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
  const active = keys.filter(({ revokedAt }) => revokedAt === undefined)
  const revoked = keys.filter(({ revokedAt }) => revokedAt !== undefined)
  return settingsPage({
    workspace,
    title: 'Tool keys',
    hasErrors: Object.keys(errors).length > 0,
    main: html`${errorSummary(errors)}
<h1>Tool keys</h1>
<p>A tool key lets an assistant on your computer, such as Claude Code or Cursor, read the mail of <bdi>${workspace.name}</bdi> as you${
      workspace.canWrite && ', and reply and invite people in your name'
    }. Create one key for each assistant, so you can revoke them separately.</p>
<h2>Your keys</h2>
${active.length > 0 ? html`<ul class="rows">${active.map((key) => activeRow(key, clock))}</ul>` : html`<p>${isFirstPage ? 'No keys yet.' : 'No active keys on this page.'}</p>`}
${isFirstPage && mintForm(data)}
${revoked.length > 0 && html`<h2>Revoked</h2><ul class="rows">${revoked.map((key) => revokedRow(key, clock))}</ul>`}
${paging({
  firstHref: isFirstPage ? undefined : PATH,
  nextHref: nextPageToken === '' ? undefined : withQuery(PATH, { after: nextPageToken }),
  words: { first: 'Newest keys', next: 'Older keys' },
})}`,
  })
}

function activeRow({ id, name, createdAt, lastUsedAt, access, pausedAt }: ToolKey, clock: ReaderClock): Html {
  return html`<li class="item"><div><h3><bdi>${name}</bdi></h3>
<p>${pausedAt ? html`<strong>Paused</strong>` : accessWords(access)} · <a href="${PATH}/${id}">Change or pause<span class="unseen"> ${name}</span></a></p>
<p class="hint">Created ${createdAt && dayOf(createdAt, clock)} · ${lastUsedAt ? html`last used ${whenOf(lastUsedAt, clock)}` : 'not used yet'}</p></div>
<a class="button second" href="${PATH}/${id}/revoke">Revoke<span class="unseen"> ${name}</span></a></li>`
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

export function showRevokeToolKey(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const request = { keyId: visit.id('id') }
    const { key } = await ctx.auth.getToolKey(request, asPerson(workspace.session, visit))
    if (key === undefined) throw notFound()
    if (key.revokedAt !== undefined) return { redirectTo: '/settings/tool-keys' }
    return { page: revokeToolKeyPage({ workspace, clock: visit.clock, key }) }
  }
}

export function revokeToolKey(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    await ctx.auth.revokeToolKey({ keyId: visit.id('id') }, asPerson(workspace.session, visit))
    return { redirectTo: '/settings/tool-keys', flash: 'key-revoked' }
  }
}

const BACK = { label: 'Tool keys', href: '/settings/tool-keys' }

type RevokeToolKeyData = { workspace: Workspace; clock: ReaderClock; key: ToolKey }

function revokeToolKeyPage({ workspace, clock, key: { id, name, lastUsedAt } }: RevokeToolKeyData): Page {
  return settingsPage({
    workspace,
    title: 'Revoke this key?',
    back: BACK,
    main: html`<h1>Revoke <bdi>${name}</bdi>?</h1>
<p>Anything that uses this key loses access immediately. Its past calls stay listed under <a href="/settings/agent-activity">Assistant activity</a>.</p>
<p class="hint">${lastUsedAt ? html`It was last used ${whenOf(lastUsedAt, clock)}.` : 'It was never used.'} You can’t restore a revoked key, but you can create a new one at any time.</p>
<form method="post" action="${BACK.href}/${id}/revoke"><div class="row"><button class="danger">Revoke key</button> <a href="${BACK.href}">Go back</a></div></form>`,
  })
}
