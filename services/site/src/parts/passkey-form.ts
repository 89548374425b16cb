import { type Html, html } from '../html.ts'

export type PasskeyForm = {
  action: string
  /** Whether it creates a passkey or asks for one. */
  kind: 'create' | 'get'
  button: string
  /** What is said where there is no script, or no passkeys. */
  fallback: string
  /** Whether browsers may offer passkeys in the email field, too. */
  offersInField?: boolean
  fields?: Html
}

/** A form that script/passkeys.js answers with a passkey. Without the script, or passkeys, only the fallback shows. */
export function passkeyForm({ action, kind, button, fallback, offersInField, fields }: PasskeyForm): Html {
  return html`<div data-passkeys>
<p class="hint" data-fallback>${fallback}</p>
<form method="post" action="${action}" data-passkey="${kind}" data-options="${action}/options"${offersInField && html` data-offers-in-field`} novalidate hidden>
<input type="hidden" name="ceremony"><input type="hidden" name="response">
${fields}
<button class="second">${button}</button>
<p class="hint" role="status" data-outcome></p>
</form>
</div>`
}
