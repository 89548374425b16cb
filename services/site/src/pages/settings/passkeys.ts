import type { Passkey } from '@family-inbox/proto/auth/v1/auth'
import type { Household } from '../../household.ts'
import { type Html, html } from '../../html.ts'
import type { ReaderClock } from '../../http/reader-clock.ts'
import type { Page } from '../../layout/page.ts'
import { errorSummary } from '../../parts/error-summary.ts'
import { type FieldErrors, textField } from '../../parts/field.ts'
import { dayOf, whenOf } from '../../parts/moment.ts'
import { passkeyForm } from '../../parts/passkey-form.ts'
import { settingsPage } from './settings-page.ts'

export type PasskeysData = {
  household: Household
  clock: ReaderClock
  passkeys: Passkey[]
  values: { name: string }
  errors: FieldErrors
}

const PATH = '/settings/passkeys'

/** The reader's passkeys, and the form for another one. */
export function passkeysPage({ household, clock, passkeys, values, errors }: PasskeysData): Page {
  return settingsPage({
    household,
    title: 'Passkeys',
    hasErrors: Object.keys(errors).length > 0,
    main: html`${errorSummary(errors)}
<h1>Passkeys</h1>
<p>A passkey signs you in with your fingerprint, your face or your device's PIN. You don't have to wait for an email. Codes still work, too.</p>
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
    hint: 'For example “My phone”, so that you know it later.',
    maxlength: 80,
    value: values.name,
    error: errors.name,
  }),
})}
</section>`,
  })
}

function row({ id, name, createdAt, lastUsedAt, suspectedAt }: Passkey, clock: ReaderClock): Html {
  return html`<li class="item"><div><h2><bdi>${name}</bdi></h2>
<p class="hint">Added ${createdAt && dayOf(createdAt, clock)} · ${lastUsedAt ? html`last used ${whenOf(lastUsedAt, clock)}` : 'not used yet'}</p>
${suspectedAt && html`<p class="error">Refused ${whenOf(suspectedAt, clock)}, because somebody may have copied it. Remove it and add a new one.</p>`}</div>
<form method="post" action="${PATH}/${id}/remove"><button class="second">Remove<span class="unseen"> ${name}</span></button></form></li>`
}
