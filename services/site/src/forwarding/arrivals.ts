import { DeliveryState, type TestMail } from '@family-inbox/proto/inbox/v1/inbox'
import { inboxPath } from '../inbox/list-query.ts'
import { type Html, html } from '../shell/html.ts'
import { whenOf } from '../shell/moment.ts'
import { confirmationBox } from './confirmation-box.ts'
import type { GuideData } from './guide.ts'
import { STEPS_OF } from './provider.ts'
import type { Forwarding } from './read-forwarding.ts'

/** What has arrived so far: a provider's code, the test mail, the first real mail. Our script looks again while it waits. */
export function arrivals({ forwarding, clock, testKey }: GuideData): Html {
  const { state, provider } = forwarding
  const { confirmation, confirmationAuthentic, confirmationReceivedAt, testMail, hasMail } = state
  const isWaiting = !hasMail
  return html`<section class="arrivals" id="arrivals"${isWaiting && html` data-waiting="${waitKey(forwarding)}"`} aria-live="polite">
${
  confirmation &&
  html`<div class="arrived"><h2>Your code is here</h2>
<p class="hint">It came ${confirmationReceivedAt && whenOf(confirmationReceivedAt, clock)}.</p>
${confirmationBox({ confirmation, isAuthentic: confirmationAuthentic })}</div>`
}
${
  !confirmation &&
  !hasMail &&
  html`<p class="waiting" role="status">${STEPS_OF[provider].waits}</p>
<noscript><p class="hint">This page does not renew itself. Load it again to see what has arrived.</p></noscript>`
}
${hasMail ? html`<div class="arrived"><h2>It works</h2><p>Mail has arrived in this inbox.</p></div>` : testPart(forwarding, testKey)}
<p><a class="button${!hasMail && !isThrough(testMail) && ' second'}" href="${inboxPath(forwarding.workspace.lovedOnes.length > 1 ? forwarding.lovedOne : undefined)}">Go to the inbox</a></p>
</section>`
}

/** Anything that differs is worth showing. */
function waitKey({ state }: Forwarding): string {
  const { confirmation, confirmationAuthentic, testMail } = state
  return [confirmation?.code, confirmation?.link, confirmationAuthentic, testMail?.delivery, testMail?.arrivedAt].join(
    ' ',
  )
}

function isThrough(testMail: TestMail | undefined): boolean {
  return testMail?.arrivedAt !== undefined
}

function testPart({ workspace, lovedOne, state, isLocal }: Forwarding, testKey: string): Html {
  const { testMail } = state
  if (isThrough(testMail))
    return html`<div class="arrived"><h2>The address works</h2><p>The test mail was sent out and came back in. Whatever is forwarded to the address arrives the same way.</p></div>`
  return html`<div class="test-mail"><h2>Try the address</h2>
${testMail ? html`<p role="status">${underWay(testMail, isLocal)}</p>` : html`<p>Send a test mail to it, and see it arrive.</p>`}
${workspace.canWrite && html`<form method="post" action="/forwarding/${lovedOne.id}/test"><input type="hidden" name="key" value="${testKey}"><button class="second">${testMail ? 'Send another test mail' : 'Send a test mail'}</button></form>`}
</div>`
}

function underWay({ delivery }: TestMail, isLocal: boolean): Html | string {
  if (delivery === DeliveryState.FAILED)
    return 'The test mail could not be delivered. Whoever runs this service must look into it.'
  if (delivery === DeliveryState.QUEUED) return 'The test mail is on its way…'
  // On one's own machine nothing is sent: to say that it is about to arrive would not be true.
  if (isLocal)
    return html`This installation runs on one machine and sends no mail, so the test mail waits at <a href="/dev/mail">Mail that was not sent</a>. Once a mail server is set up, it arrives here by itself.`
  return 'The test mail was sent. It should be here within a minute…'
}
