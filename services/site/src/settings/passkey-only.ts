import type { ListPasskeysResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Html, html } from '../shell/html.ts'

const PATH = '/settings/passkeys/only'

/** The part of the passkeys page that turns mailed codes off and on. */
export function passkeyOnlyPart(ways: ListPasskeysResponse): Html {
  return html`<section class="panel" aria-labelledby="only">
<h2 id="only">Only sign in with a passkey</h2>
${ways.passkeyOnlySince ? turnOff() : hasWayBack(ways) ? turnOn() : firstAdd()}
</section>`
}

function hasWayBack({ passkeys, recoveryCodesLeft = 0 }: ListPasskeysResponse): boolean {
  return passkeys.length >= 2 || (passkeys.length === 1 && recoveryCodesLeft > 0)
}

function firstAdd(): Html {
  return html`<p>Then reading your email is not enough to sign in as you. To turn this on, add a second passkey or make a recovery sheet first, so that one lost device doesn’t lock you out.</p>`
}

function turnOn(): Html {
  return html`<p>Then reading your email is not enough to sign in as you: codes by email no longer sign you in or confirm changes. Your other devices are signed out.</p>
<form method="post" action="${PATH}"><button name="only" value="yes">Only sign in with a passkey</button></form>`
}

function turnOff(): Html {
  return html`<p>This is on. Codes by email don’t sign you in and don’t confirm changes. Keep two passkeys, or one and a recovery sheet.</p>
<form method="post" action="${PATH}"><button class="second" name="only" value="no">Let codes sign me in again</button></form>`
}
