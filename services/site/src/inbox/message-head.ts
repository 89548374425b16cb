import { type Mailbox, type MessageSummary, SenderCheck } from '@family-inbox/proto/inbox/v1/inbox'
import { domainOf } from '@family-inbox/workspace-kit/same-sender'
import { type Html, html } from '../shell/html.ts'
import { whenOf } from '../shell/moment.ts'
import { initialsBadge } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { categoryWords } from './category-words.ts'
import type { OpenMessage } from './read-message.ts'
import { addressBeside, checkWords, type Original, originalOf, senderCheck, senderName } from './sender.ts'

/** Who wrote it, and whether that is proven: two lines that unfold. A failed check is said aloud. */
export function messageHead({ lovedOne, message: opened }: OpenMessage, clock: ReaderClock): Html {
  const { message, authenticity, sentAt } = opened
  const { sender, receivedAt } = message
  const original = originalOf(message)
  const verdict = checkWords(message.check, domainOf(sender?.address ?? '') || 'the sender')
  return html`<details class="message-head">
<summary>
<span class="head-line who"><strong><bdi>${senderName(sender)}</bdi></strong><span class="hint at">${receivedAt && whenOf(receivedAt, clock)}</span></span>
<span class="head-line by">${toOrFrom(message)}<span class="for"><span class="unseen">For <bdi>${lovedOne.name}</bdi></span>${initialsBadge(lovedOne.name, lovedOne.position)}</span></span>
${original && html`<span class="head-line hint">${forwarded(original)}</span>`}
</summary>
<dl class="facts">
<div><dt>From</dt><dd>${person(sender)}</dd></div>
${original && html`<div><dt>Written by</dt><dd>${person(original.writer)}${!original.isVerified && html`<br><span class="hint">The message says so. We can’t check that.</span>`}</dd></div>`}
${message.writtenTo && html`<div><dt>To</dt><dd><bdi>${message.writtenTo.address}</bdi></dd></div>`}
<div><dt>For</dt><dd><bdi>${lovedOne.name}</bdi></dd></div>
<div><dt>Category</dt><dd>${categoryWords(message.category).label}</dd></div>
${sentAt && html`<div><dt>Sent</dt><dd>${whenOf(sentAt, clock)}</dd></div>`}
</dl>
${message.check !== SenderCheck.FAILED && !message.writtenTo && html`<p>${verdict.text}${original && ' This is about the person who forwarded it. We can’t check the original sender.'}</p>`}
${authenticity && !message.writtenTo && html`<p class="hint">Checks: SPF ${authenticity.spf}, DKIM ${authenticity.dkim}, DMARC ${authenticity.dmarc}, ARC ${authenticity.arc}${authenticity.sealedBy && html` (sealed by <bdi>${authenticity.sealedBy}</bdi>)`}.</p>`}
</details>
${message.check === SenderCheck.FAILED && html`<p class="notice check-failed">${verdict.text}</p>`}`
}

/** What the family wrote went to somebody; other mail is from an address that was checked. */
function toOrFrom(message: MessageSummary): Html {
  const { writtenTo, sender } = message
  if (writtenTo) return html`<span>to</span> <span class="sent-from"><bdi>${writtenTo.address}</bdi></span>`
  return html`${senderCheck(message).shown}<span class="sent-from"><bdi>${addressBeside(sender)}</bdi></span>`
}

function forwarded({ writer, isVerified }: Original): Html {
  const name = html`<strong><bdi>${senderName(writer)}</bdi></strong>`
  return isVerified ? html`Forwarded, originally from ${name}` : html`Says ${name} wrote it; we can’t check that`
}

function person(mailbox: Mailbox | undefined): Html {
  const [name, address] = [senderName(mailbox), addressBeside(mailbox)]
  if (name === mailbox?.address) return html`<bdi>${name}</bdi>`
  return html`<strong><bdi>${name}</bdi></strong>${address !== '' && html` <span class="hint address-of"><bdi>${address}</bdi></span>`}`
}
