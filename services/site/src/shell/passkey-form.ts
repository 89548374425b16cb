import type { BeginPasskeyResponse } from '@family-inbox/proto/auth/v1/auth'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Cookie } from './cookies.ts'
import { type Html, html } from './html.ts'
import type { BodyReply } from './visit.ts'

type PasskeyForm = {
  action: string
  kind: 'create' | 'get'
  button: string
  /** Shown without JavaScript or passkey support. */
  fallback: string
  /** Also offers passkeys in the email field (autofill). */
  offersInField?: boolean
  fields?: Html
}

/** A form that shell/passkeys.js answers with a passkey. Without the script, or passkeys, only the fallback shows. */
export function passkeyForm({ action, kind, button, fallback, offersInField, fields }: PasskeyForm): Html {
  return html`<div data-passkeys>
<p class="hint" data-fallback>${fallback}</p>
<form method="post" action="${action}" data-passkey="${kind}" data-options="${action}/options"${offersInField && html` data-offers-in-field`} novalidate hidden>
<input type="hidden" name="ceremony"><input type="hidden" name="response">
${fields}
<button${kind === 'get' && html` class="second"`}>${button}</button>
<p class="hint" role="status" data-outcome></p>
</form>
</div>`
}

export function passkeyOptions({ ceremony, options }: BeginPasskeyResponse, cookies: Cookie[] = []): BodyReply {
  if (options === '') throw new StatusError('FAILED_PRECONDITION', 'Passkeys don’t work here. Use a code instead.')
  return {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ceremony, options: JSON.parse(options) }),
    cookies,
  }
}
