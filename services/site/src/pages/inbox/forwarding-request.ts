import { providerName } from '../../forwarding/provider.ts'
import { type Html, html } from '../../html.ts'
import { isAuthentic } from '../../inbox/authenticity.ts'
import type { OpenMessage } from '../../inbox/read-message.ts'
import { confirmationBox } from '../forwarding/confirmation-box.ts'

/** A provider's request to confirm that mail may be forwarded here: its code stands out, whoever reads the inbox. */
export function forwardingRequest({ message, lovedOne }: OpenMessage): Html | undefined {
  const { forwardingConfirmation: confirmation, authenticity } = message
  if (confirmation === undefined) return undefined
  return html`<section class="notice" aria-labelledby="request">
<h2 id="request">${providerName(confirmation.provider)} asks whether it may forward mail to <bdi>${lovedOne.name}</bdi>’s inbox</h2>
${confirmationBox({ confirmation, isAuthentic: isAuthentic(authenticity) })}
</section>`
}
