import type { Mailbox } from '@family-inbox/proto/inbox/v1/inbox'
import { type Html, html } from '../../html.ts'
import { authenticityWords } from '../../inbox/authenticity.ts'
import { categoryWords } from '../../inbox/category-words.ts'
import { initialsBadge } from '../../parts/initials.ts'
import { whenOf } from '../../parts/moment.ts'
import type { OpenMessageData } from './open-message.ts'

/** From whom, for whom, when, of what kind, and whether it is authentic. */
export function messageFacts({ open, clock }: OpenMessageData): Html {
  const { lovedOne } = open
  const { message, authenticity, sentAt } = open.message
  const { sender, originalSender, receivedAt } = message
  const isForwarded = originalSender !== undefined && originalSender.address !== sender?.address
  const domain = sender?.address.split('@').at(-1) || 'the sender'
  const verdict = authenticityWords(authenticity, domain)
  return html`<div class="message-head">
<p class="who">${person(originalSender ?? sender)}</p>
${isForwarded && html`<p class="hint">Forwarded by ${person(sender)}</p>`}
<p class="hint">For ${initialsBadge(lovedOne.name, lovedOne.position)} <bdi>${lovedOne.name}</bdi> · ${receivedAt && whenOf(receivedAt, clock)} · ${categoryWords(message.category).label}</p>
<details class="authenticity linked ${verdict.kind}">
<summary><span class="badge-word">${verdict.label}</span></summary>
<p>${verdict.text}${isForwarded && ' This is about who forwarded it, since the original cannot be checked any more.'}</p>
${authenticity && html`<p class="hint">What was checked: SPF ${authenticity.spf}, DKIM ${authenticity.dkim}, DMARC ${authenticity.dmarc}, ARC ${authenticity.arc}.${sentAt && html` Written ${whenOf(sentAt, clock)}.`}</p>`}
</details>
</div>`
}

function person(mailbox: Mailbox | undefined): Html {
  if (mailbox === undefined || (mailbox.name === '' && mailbox.address === '')) return html`Nobody is named as sender`
  const { name, address } = mailbox
  if (name === '') return html`<bdi>${address}</bdi>`
  return html`<strong><bdi>${name}</bdi></strong>${address !== '' && html` <span class="hint address-of"><bdi>${address}</bdi></span>`}`
}
