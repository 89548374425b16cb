import { DeliveryState, type GetForwardingResponse, type TestMail } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { inboxPath } from '../shell/inbox-paths.ts'
import { whenOf } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { LovedOne, Workspace } from '../shell/workspace.ts'
import { confirmationBox, providerName } from './confirmation-box.ts'
import { type Provider, providerOf, STEPS_OF } from './provider.ts'

export type Forwarding = {
  workspace: Workspace
  lovedOne: LovedOne
  provider: Provider
  state: GetForwardingResponse
  /** Mail is written to a folder instead of being sent. */
  isLocal: boolean
}

export type GuideData = { forwarding: Forwarding; clock: ReaderClock; testKey: string }

export async function readForwarding(
  ctx: Context,
  visit: Visit,
  workspace: Workspace,
  lovedOne: LovedOne,
): Promise<Forwarding> {
  const state = await ctx.inbox.getForwarding({ lovedOneId: lovedOne.id }, asPerson(workspace.session, visit))
  const provider = providerOf(visit.query('with') || state.confirmation?.provider || '')
  return { workspace, lovedOne, provider, state, isLocal: ctx.config.outboxDir !== undefined }
}

/** Lists what has arrived so far: the provider's code, the test email, the first real message. forwarding.js polls it. */
export function arrivals({ forwarding, clock, testKey }: GuideData): Html {
  const { state, provider, lovedOne } = forwarding
  const { confirmation, confirmationAuthentic, confirmationReceivedAt, testMail, hasMail } = state
  const confirmed = confirmation && providerOf(confirmation.provider)
  const isWaiting = !hasMail
  return html`<section class="arrivals" id="arrivals"${isWaiting && html` data-waiting="${stateKey(forwarding)}"`} aria-live="polite">
${
  confirmation &&
  confirmed === provider &&
  html`<div class="arrived"><h2>Your code is here</h2>
<p class="hint">Received ${confirmationReceivedAt && whenOf(confirmationReceivedAt, clock)}.</p>
${confirmationBox({ confirmation, isAuthentic: confirmationAuthentic })}</div>`
}
${
  confirmation &&
  confirmed !== provider &&
  html`<p class="hint">A confirmation from ${providerName(confirmation.provider)} has arrived. <a href="/forwarding/${lovedOne.id}?with=${confirmed}">Show it</a></p>`
}
${
  confirmed !== provider &&
  !hasMail &&
  html`<p class="waiting" role="status">${STEPS_OF[provider].waits}</p>
<noscript><p class="hint">Reload this page to see what has arrived.</p></noscript>`
}
${hasMail ? html`<div class="arrived"><h2>It works</h2><p>Mail has arrived in this inbox.</p></div>` : testSection(forwarding, testKey)}
<p><a class="button${!hasMail && !hasArrived(testMail) && ' second'}" href="${inboxPath(forwarding.workspace.lovedOnes.length > 1 ? forwarding.lovedOne : undefined)}">Go to inbox</a></p>
</section>`
}

/** The code of the provider that the guide is about, once it has arrived. */
export function codeOf({ provider, state }: Forwarding): string | undefined {
  const { confirmation } = state
  return confirmation && providerOf(confirmation.provider) === provider ? confirmation.code || undefined : undefined
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
    return html`This installation doesn’t send mail. The test email is listed under <a href="/dev/mail">Unsent mail</a>.`
  return 'Test email sent. It should arrive within a minute…'
}
