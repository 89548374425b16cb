import type { ListPasskeysResponse, Passkey } from '@family-inbox/proto/auth/v1/auth'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, textField } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { dayOf, whenOf } from '../shell/moment.ts'
import type { Page } from '../shell/page.ts'
import { passkeyForm, passkeyOptions } from '../shell/passkey-form.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson, type SignedInHandler } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import type { Workspace, WorkspaceHandler } from '../shell/workspace.ts'
import { passkeyOnlyPart } from './passkey-only.ts'
import { recoverySheetPart } from './recovery-sheet.ts'
import { settingsPage } from './settings-page.ts'

export function showPasskeys(ctx: Context): WorkspaceHandler {
  return (visit, workspace) => passkeysReply(ctx, visit, workspace)
}

export function beginAddPasskey(ctx: Context): SignedInHandler {
  return async (visit, session) => passkeyOptions(await ctx.auth.beginAddPasskey({}, asPerson(session, visit)))
}

export function addPasskey(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const name = visit.field('name').slice(0, 300)
    const passkey = { ceremony: visit.field('ceremony'), response: visit.field('response') }
    try {
      await ctx.auth.addPasskey({ name, passkey }, asPerson(workspace.session, visit))
      return { redirectTo: '/settings/passkeys', flash: 'passkey-added' }
    } catch (error) {
      return passkeysReply(ctx, visit, workspace, { values: { name }, errors: explain(error) })
    }
  }
}

function explain(error: unknown): Record<string, string> {
  if (!(error instanceof StatusError)) throw error
  const { status, detail, message } = error
  if (status === 'INVALID_ARGUMENT' && detail.field === 'name') return { name: 'Enter a name, up to 80 characters' }
  if (status === 'INVALID_ARGUMENT' && detail.field === 'passkey') return { name: 'No passkey was created. Try again.' }
  if (status === 'FAILED_PRECONDITION') return { name: message }
  throw error
}

export function removePasskey(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    try {
      await ctx.auth.removePasskey({ passkeyId: visit.id('id') }, asPerson(workspace.session, visit))
      return { redirectTo: PATH, flash: 'passkey-removed' }
    } catch (error) {
      return refused(ctx, visit, workspace, error)
    }
  }
}

export function setPasskeyOnly(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const passkeyOnly = visit.field('only') === 'yes'
    try {
      await ctx.auth.setPasskeyOnly({ passkeyOnly }, asPerson(workspace.session, visit))
      return { redirectTo: PATH, flash: passkeyOnly ? 'passkey-only' : 'codes-again' }
    } catch (error) {
      return refused(ctx, visit, workspace, error)
    }
  }
}

function refused(ctx: Context, visit: Visit, workspace: Workspace, error: unknown): Promise<Reply> {
  if (!(error instanceof StatusError) || error.detail.field !== 'passkeyOnly') throw error
  return passkeysReply(ctx, visit, workspace, { values: { name: '' }, errors: { only: error.message } })
}

type PasskeyForm = { values: { name: string }; errors: FieldErrors }

async function passkeysReply(ctx: Context, visit: Visit, workspace: Workspace, form?: PasskeyForm): Promise<Reply> {
  const ways = await ctx.auth.listPasskeys({}, asPerson(workspace.session, visit))
  const shown = form ?? { values: { name: visit.restoredField('name') }, errors: {} }
  return { page: passkeysPage({ workspace, clock: visit.clock, ways, ...shown }), status: form ? 422 : 200 }
}

type PasskeysData = {
  workspace: Workspace
  clock: ReaderClock
  ways: ListPasskeysResponse
  values: { name: string }
  errors: FieldErrors
}

const PATH = '/settings/passkeys'

function passkeysPage({ workspace, clock, ways, values, errors }: PasskeysData): Page {
  const { passkeys, passkeyOnlySince } = ways
  return settingsPage({
    workspace,
    title: 'Passkeys',
    hasErrors: Object.keys(errors).length > 0,
    main: html`${errorSummary(errors)}
<h1>Passkeys</h1>
<p>A passkey signs you in with your fingerprint, your face or your device’s PIN, without waiting for an email.${passkeyOnlySince ? '' : ' Sign-in codes keep working.'}</p>
${passkeys.length > 0 ? html`<ul class="rows">${passkeys.map((passkey) => row(passkey, clock))}</ul>` : html`<p>You have no passkeys yet.</p>`}
<section class="panel" aria-labelledby="add">
<h2 id="add">Add a passkey</h2>
${passkeyForm({
  action: PATH,
  kind: 'create',
  button: 'Add passkey',
  fallback: 'Passkeys need JavaScript and a recent browser. You can always sign in with a code.',
  fields: textField({
    name: 'name',
    label: 'Name',
    hint: 'For example, “My phone”.',
    maxlength: 80,
    value: values.name,
    error: errors.name,
  }),
})}
</section>
${
  passkeys.length > 0 &&
  html`${recoverySheetPart(ways, clock)}
${passkeyOnlyPart(ways)}`
}`,
  })
}

function row({ id, name, createdAt, lastUsedAt, suspectedAt }: Passkey, clock: ReaderClock): Html {
  return html`<li class="item"><div><h2><bdi>${name}</bdi></h2>
<p class="hint">Added ${createdAt && dayOf(createdAt, clock)} · ${lastUsedAt ? html`last used ${whenOf(lastUsedAt, clock)}` : 'not used yet'}</p>
${suspectedAt && html`<p class="error">Refused ${whenOf(suspectedAt, clock)}, because someone may have copied it. Remove it and add a new one.</p>`}</div>
<form method="post" action="${PATH}/${id}/remove"><button class="second">Remove<span class="unseen"> ${name}</span></button></form></li>`
}
