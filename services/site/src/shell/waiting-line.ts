import { amount } from '@family-inbox/service-kit/text/format-wait'
import { type Html, html } from './html.ts'

type Waiting = { replies?: number | undefined; invitations: number }

/** Leads to what assistants wrote and the reader can approve; nothing without any. */
export function waitingLine({ replies = 0, invitations }: Waiting): Html | undefined {
  const kinds = [
    ...(replies > 0 ? [replies === 1 ? '1 reply' : `${replies} replies`] : []),
    ...(invitations > 0 ? [amount(invitations, 'invitation')] : []),
  ]
  if (kinds.length === 0) return undefined
  const words = `${kinds.join(' and ')} from ${replies + invitations === 1 ? 'an assistant is' : 'assistants are'}`
  return html`<p class="notice waiting"><a href="/approvals">${words} waiting for approval</a></p>`
}
