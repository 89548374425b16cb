import type { Mailbox } from '@family-inbox/proto/inbox/v1/inbox'
import { type Html, html } from '../../html.ts'
import { authenticityWords } from '../../inbox/authenticity.ts'
import { categoryWords } from '../../inbox/category-words.ts'
import { type Original, originalOf } from '../../inbox/original.ts'
import { senderName } from '../../inbox/sender-name.ts'
import { initialsBadge } from '../../parts/initials.ts'
import { whenOf } from '../../parts/moment.ts'
import type { OpenMessageData } from './open-message.ts'

/** From whom, for whom, when, of what kind, and whether it is authentic. */
export function messageFacts({ open, clock }: OpenMessageData): Html {
  const { lovedOne } = open
  const { message, authenticity, sentAt } = open.message
  const { sender, receivedAt } = message
  const original = originalOf(message)
  const domain = sender?.address.split('@').at(-1) || 'the sender'
  const verdict = authenticityWords(authenticity, domain)
  return html`<div class="message-head">
<p class="who">${person(sender)}</p>
${original && forwarded(original, sender)}
<p class="hint">For ${initialsBadge(lovedOne.name, lovedOne.position)} <bdi>${lovedOne.name}</bdi> · ${receivedAt && whenOf(receivedAt, clock)} · ${categoryWords(message.category).label}</p>
<details class="authenticity linked ${verdict.kind}">
<summary><span class="badge-word">${verdict.label}</span></summary>
<p>${verdict.text}${original && ' This is about who sent it here. The original it holds can’t be checked.'}</p>
${authenticity && html`<p class="hint">What was checked: SPF ${authenticity.spf}, DKIM ${authenticity.dkim}, DMARC ${authenticity.dmarc}, ARC ${authenticity.arc}.${sentAt && html` Written ${whenOf(sentAt, clock)}.`}</p>`}
</details>
</div>`
}

/** Whose words they are: as a fact when a member says so, else as what the mail says. */
function forwarded({ writer, isVerified }: Original, sender: Mailbox | undefined): Html {
  if (isVerified)
    return html`<p class="hint">Forwarded by <bdi>${senderName(sender)}</bdi>, written by ${person(writer)}</p>`
  return html`<p class="hint">The message says that ${person(writer)} wrote it. We can’t check that.</p>`
}

function person(mailbox: Mailbox | undefined): Html {
  if (mailbox === undefined || (mailbox.name === '' && mailbox.address === '')) return html`Nobody is named as sender`
  const { name, address } = mailbox
  if (name === '') return html`<bdi>${address}</bdi>`
  return html`<strong><bdi>${name}</bdi></strong>${address !== '' && html` <span class="hint address-of"><bdi>${address}</bdi></span>`}`
}
