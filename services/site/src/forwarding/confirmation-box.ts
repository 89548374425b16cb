import type { ForwardingConfirmation } from '@family-inbox/proto/inbox/v1/inbox'
import { type Html, html, webAddress } from '../shell/html.ts'
import { copyable } from '../shell/parts.ts'

const NAMES: Record<string, string> = {
  gmail: 'Gmail',
  outlook: 'Outlook',
  icloud: 'iCloud',
  yahoo: 'Yahoo',
  zoho: 'Zoho',
  proton: 'Proton',
  fastmail: 'Fastmail',
}

/** A provider's display name, for use within a sentence. */
export function providerName(provider: string): string {
  return NAMES[provider] ?? 'your email provider'
}

type ConfirmationBox = {
  confirmation: ForwardingConfirmation
  /** Undefined while the sender check is pending. */
  isAuthentic: boolean | undefined
}

/** A provider's code or link. Shows the link only if the sender is verified: a forged one could give away a mailbox. */
export function confirmationBox({ confirmation, isAuthentic }: ConfirmationBox): Html {
  const { code, link, provider } = confirmation
  const name = providerName(provider)
  const href = isAuthentic ? webAddress(link) : undefined
  return html`${
    code !== '' &&
    html`<p>Enter this code in ${name}:</p>
${copyable({ id: 'code', text: code, what: 'the code', look: 'code' })}`
  }
${code === '' && href === undefined && html`<p>${link === '' ? `Open the message to see how to allow forwarding in ${name}.` : `The message has a link to allow forwarding. We show only links we can verify.`}</p>`}
${href && html`<p>${code === '' ? `To allow forwarding, open the link from ${name}:` : `Or open the link from ${name}:`} <a href="${href}" target="_blank" rel="noopener noreferrer">Allow forwarding at ${new URL(href).host}</a></p>`}
<p class="hint">${senderText(isAuthentic, name)} Use it only if you or someone you know just set up forwarding.</p>`
}

function senderText(isAuthentic: boolean | undefined, name: string): string {
  if (isAuthentic === undefined) return `We’re checking that this is from ${name}.`
  return isAuthentic ? `This is from ${name}.` : `We can’t verify that this is from ${name}.`
}
