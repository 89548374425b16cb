import type { ListPasskeysResponse } from '@family-inbox/proto/auth/v1/auth'
import { PRODUCT } from '@family-inbox/workspace-kit/product'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { dayOf } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import type { WorkspaceHandler } from '../shell/workspace.ts'
import { settingsPage } from './settings-page.ts'

const PASSKEYS = { label: 'Passkeys', href: '/settings/passkeys' }

/** The part of the passkeys page that makes a sheet. */
export function recoverySheetPart(
  { recoverySheetAt, recoveryCodesLeft = 0 }: ListPasskeysResponse,
  clock: ReaderClock,
): Html {
  const left = recoveryCodesLeft === 1 ? '1 code is left' : `${recoveryCodesLeft} codes are left`
  return html`<section class="panel" aria-labelledby="sheet">
<h2 id="sheet">Recovery sheet</h2>
<p>A page with 8 codes to print and keep in a safe place. If you lose your passkeys, each code signs you in once.</p>
${recoverySheetAt && html`<p class="hint">Made ${dayOf(recoverySheetAt, clock)} · ${left}. A new sheet replaces it: its codes stop working.</p>`}
<form method="post" action="/settings/passkeys/recovery-sheet"><button class="second">${recoverySheetAt ? 'Make a new sheet' : 'Make a recovery sheet'}</button></form>
</section>`
}

/** Answers with the codes, which no later page shows. */
export function makeRecoverySheet(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { session } = workspace
    const { codes } = await ctx.auth.makeRecoverySheet({}, asPerson(session, visit))
    const page = settingsPage({
      workspace,
      title: 'Your recovery sheet',
      back: PASSKEYS,
      main: html`<h1>Your recovery sheet</h1>
<p class="notice">Print this page or write the codes down now. You can’t see them again later.</p>
<p>${PRODUCT}, <bdi>${session.email}</bdi>, ${dayOf(new Date(), visit.clock)}</p>
<ol>${codes.map((code) => html`<li><code>${code}</code></li>`)}</ol>
<p>To use a code, open the sign-in page and choose “Use a recovery code”. Each works once. Earlier sheets no longer work. Keep this one where you keep passports, and not in your email.</p>
<p><a class="button" href="${PASSKEYS.href}">Done</a></p>`,
    })
    return { page }
  }
}
