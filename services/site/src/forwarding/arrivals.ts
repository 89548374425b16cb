import { DeliveryState, type TestMail } from '@family-inbox/proto/inbox/v1/inbox'
import { inboxPath } from '../inbox/list-query.ts'
import { type Html, html } from '../shell/html.ts'
import { whenOf } from '../shell/moment.ts'
import { confirmationBox } from './confirmation-box.ts'
import { STEPS_OF } from './provider.ts'
import type { Forwarding, GuideData } from './read-forwarding.ts'

/** What has arrived so far: the provider's code, the test email, the first real message. forwarding.js polls it. */
export function arrivals({ forwarding, clock, testKey }: GuideData): Html {
  const { state, provider } = forwarding
  const { confirmation, confirmationAuthentic, confirmationReceivedAt, testMail, hasMail } = state
  const isWaiting = !hasMail
  return html`<section class="arrivals" id="arrivals"${isWaiting && html` data-waiting="${stateKey(forwarding)}"`} aria-live="polite">
${
  confirmation &&
  html`<div class="arrived"><h2>Your code is here</h2>
<p class="hint">Received ${confirmationReceivedAt && whenOf(confirmationReceivedAt, clock)}.</p>
${confirmationBox({ confirmation, isAuthentic: confirmationAuthentic })}</div>`
}
${
  !confirmation &&
  !hasMail &&
  html`<p class="waiting" role="status">${STEPS_OF[provider].waits}</p>
<noscript><p class="hint">Reload this page to see what has arrived.</p></noscript>`
}
${hasMail ? html`<div class="arrived"><h2>It works</h2><p>Mail has arrived in this inbox.</p></div>` : testSection(forwarding, testKey)}
<p><a class="button${!hasMail && !hasArrived(testMail) && ' second'}" href="${inboxPath(forwarding.workspace.lovedOnes.length > 1 ? forwarding.lovedOne : undefined)}">Go to inbox</a></p>
</section>`
}

/** A changed key tells forwarding.js to update the page. */
function stateKey({ state }: Forwarding): string {
  const { confirmation, confirmationAuthentic, testMail } = state
  return [confirmation?.code, confirmation?.link, confirmationAuthentic, testMail?.delivery, testMail?.arrivedAt].join(
    ' ',
  )
}

function hasArrived(testMail: TestMail | undefined): boolean {
  return testMail?.arrivedAt !== undefined
}

function testSection({ workspace, lovedOne, state, isLocal }: Forwarding, testKey: string): Html {
  const { testMail } = state
  if (hasArrived(testMail))
    return html`<div class="arrived"><h2>The address works</h2><p>The test email arrived. Mail you forward to this address arrives the same way.</p></div>`
  return html`<div class="test-mail"><h2>Test the address</h2>
${testMail ? html`<p role="status">${deliveryText(testMail, isLocal)}</p>` : html`<p>Send a test email to it and watch it arrive.</p>`}
${workspace.canWrite && html`<form method="post" action="/forwarding/${lovedOne.id}/test"><input type="hidden" name="key" value="${testKey}"><button class="second">${testMail ? 'Send another test email' : 'Send a test email'}</button></form>`}
</div>`
}

function deliveryText({ delivery }: TestMail, isLocal: boolean): Html | string {
  if (delivery === DeliveryState.FAILED)
    return 'The test email couldn’t be delivered. Contact whoever runs this service.'
  if (delivery === DeliveryState.QUEUED) return 'Sending the test email…'
  if (isLocal)
    return html`This installation doesn’t send mail. The test email is listed under <a href="/dev/mail">Mail that was not sent</a>.`
  return 'Test email sent. It should arrive within a minute…'
}
