import { DeliveryState, type SentReply } from '@family-inbox/proto/inbox/v1/inbox'
import { type Html, html } from '../shell/html.ts'

const DELIVERY: Record<DeliveryState, { name: string; text: string }> = {
  [DeliveryState.QUEUED]: { name: 'queued', text: 'Sending' },
  [DeliveryState.SENT]: { name: 'sent', text: 'Delivered to their mail server' },
  [DeliveryState.FAILED]: {
    name: 'failed',
    text: 'Not delivered: their mail server refused it. Call them, or use another address.',
  },
  [DeliveryState.UNKNOWN]: {
    name: 'unknown',
    text: 'May not have been delivered: sending was interrupted. We don’t resend it, so it can’t arrive twice.',
  },
  [DeliveryState.UNSPECIFIED]: { name: 'queued', text: 'Sending' },
  [DeliveryState.UNRECOGNIZED]: { name: 'queued', text: 'Sending' },
}

export const HELD = html`<p class="delivery queued" data-delivery="queued">Sending in a few seconds</p>`

/** Deliveries that a family should notice are not folded. */
export function isSettled({ delivery, copies }: SentReply): boolean {
  return [delivery, ...copies.map((copy) => copy.delivery)].every((state) => state === DeliveryState.SENT)
}

/** The state of its delivery; with several recipients, of each mail. */
export function sentDelivery(reply: SentReply): Html {
  if (reply.copies.length === 0) return line(reply.delivery)
  return html`${[reply, ...reply.copies].map(({ to, delivery }) => line(delivery, html`<bdi>${to}</bdi>: `))}`
}

function line(delivery: DeliveryState, recipient?: Html): Html {
  const { name: state, text } = DELIVERY[delivery]
  return html`<p class="delivery ${state}" data-delivery="${state}">${recipient}${text}</p>`
}
