import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type StoppedRecipient, StopReason } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { type Html, html } from './html.ts'
import { dayOf } from './moment.ts'
import type { ReaderClock } from './reader-clock.ts'
import { asPerson } from './session.ts'
import { type Visit, withTimeout } from './visit.ts'
import type { Workspace, WorkspaceHandler } from './workspace.ts'

/** The page does not wait longer to say so. Sending checks again. */
const TIMEOUT_MS = 1000

/** Why and until when the family can't mail this address; undefined if it can. */
export async function readStop(
  ctx: Context,
  visit: Visit,
  { session }: Workspace,
  address: string,
): Promise<StoppedRecipient | undefined> {
  if (address === '') return undefined
  const request = { addresses: [address] }
  const { stopped } = await ctx.inbox
    .listStoppedRecipients(request, asPerson(session, withTimeout(visit, TIMEOUT_MS)))
    .catch(() => ({ stopped: [] }))
  return stopped[0]
}

type StopData = { stop: StoppedRecipient | undefined; workspace: Workspace; clock: ReaderClock; action: string }

/** @param action where its form goes; see `allowRecipient` */
export function stopNotice({ stop, workspace, clock, action }: StopData): Html | undefined {
  if (stop === undefined) return undefined
  const { address, reason, stoppedAt, expiresAt } = stop
  const day = stoppedAt && html`On ${dayOf(stoppedAt, clock)}, `
  return html`<div class="notice stopped">
<p>${day}${reason === StopReason.COMPLAINT ? html`<bdi>${address}</bdi> asked for no more mail from your family.` : html`mail to <bdi>${address}</bdi> came back as undeliverable.`} We send nothing there${expiresAt && html` until ${dayOf(expiresAt, clock)}`}.</p>
${
  workspace.role === Role.OWNER
    ? html`<form method="post" action="${action}"><input type="hidden" name="address" value="${address}"><button class="second">Allow mail to this address</button></form>`
    : html`<p class="hint">The owner of your family’s inbox can allow it earlier.</p>`
}
</div>`
}

/** Ends a stop. @param back the page that showed it */
export function allowRecipient(ctx: Context, back: (visit: Visit) => string): WorkspaceHandler {
  return async (visit, { session }) => {
    await ctx.inbox.allowRecipient({ address: visit.field('address').slice(0, 320) }, asPerson(session, visit))
    return { redirectTo: back(visit), flash: 'recipient-allowed' }
  }
}
