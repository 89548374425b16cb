import type { ForwardingConfirmation } from '@family-inbox/proto/inbox/v1/inbox'
import { copyable } from '../shell/copyable.ts'
import { type Html, html, webAddress } from '../shell/html.ts'
import { providerName } from './provider.ts'

export type ConfirmationBox = {
  confirmation: ForwardingConfirmation
  /** Whether the provider vouches for the request; undefined until that is known. */
  isAuthentic: boolean | undefined
}

/**
 * The code or the link a provider sent, large, with what to do with it. A link is offered only when the mail is authentic: a
 * forged one leads to where somebody gives their mailbox away.
 */
export function confirmationBox({ confirmation, isAuthentic }: ConfirmationBox): Html {
  const { code, link, provider } = confirmation
  const name = providerName(provider)
  const href = isAuthentic ? webAddress(link) : undefined
  return html`${
    code !== '' &&
    html`<p>Type this code where ${name} asks for it:</p>
${copyable({ id: 'code', text: code, what: 'the code', look: 'code' })}`
  }
${code === '' && href === undefined && html`<p>${link === '' ? `Read the message to see how ${name} wants you to allow it.` : `The message has a link to allow it. We only offer links we could verify.`}</p>`}
${href && html`<p>${code === '' ? `Open ${name}’s link to allow it:` : `Or open ${name}’s link:`} <a href="${href}" target="_blank" rel="noopener noreferrer">Allow forwarding at ${new URL(href).host}</a></p>`}
<p class="hint">${authenticWords(isAuthentic, name)} Use it only if you, or somebody you know, set up forwarding just now.</p>`
}

function authenticWords(isAuthentic: boolean | undefined, name: string): string {
  if (isAuthentic === undefined) return `We are checking that this really comes from ${name}.`
  return isAuthentic ? `This really comes from ${name}.` : `We cannot confirm that this comes from ${name}.`
}
