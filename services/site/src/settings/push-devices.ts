import type { ListPushDevicesResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { dayOf } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import type { WorkspaceHandler } from '../shell/workspace.ts'

const PATH = '/settings/notifications'

/** `push.js` fills in the form with what the browser's push service answers. */
export function addPushDevice(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    const field = (name: string, most: number) => visit.field(name).slice(0, most)
    const subscription = { endpoint: field('endpoint', 2000), p256dh: field('p256dh', 200), auth: field('auth', 100) }
    const request = { ...subscription, browser: browserOf(visit.userAgent) }
    try {
      await ctx.inbox.addPushDevice(request, asPerson(session, visit))
      return { redirectTo: PATH, flash: 'device-told' }
    } catch (error) {
      if (!(error instanceof StatusError) || error.status !== 'INVALID_ARGUMENT') throw error
      return { redirectTo: PATH, flash: 'device-not-told' }
    }
  }
}

export function removePushDevice(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    await ctx.inbox.removePushDevice({ deviceId: visit.id('id') }, asPerson(session, visit))
    return { redirectTo: PATH, flash: 'device-not-told-anymore' }
  }
}

/** The button appears where the browser can do it. */
export function pushSection({ devices, publicKey }: ListPushDevicesResponse, clock: ReaderClock): Html {
  return html`<section aria-labelledby="push"><h2 id="push">On your phone or computer</h2>
<p>A short notice beside each of these emails, without what it is about.</p>
${
  devices.length === 0
    ? html`<p class="hint">No device gets notices yet.</p>`
    : html`<ul class="rows">${devices.map(
        ({ id, browser, addedAt }) =>
          html`<li class="item"><div><h3><bdi>${browser}</bdi></h3><p class="hint">Since ${addedAt && dayOf(addedAt, clock)}</p></div>
<form method="post" action="${PATH}/devices/${id}/remove"><button class="second">Turn off<span class="unseen"> notices on <bdi>${browser}</bdi></span></button></form></li>`,
      )}</ul>`
}
<form method="post" action="${PATH}/devices" data-push-key="${publicKey}">
<input type="hidden" name="endpoint"><input type="hidden" name="p256dh"><input type="hidden" name="auth">
<button class="second" hidden>Turn on for this device</button>
<p class="hint" role="status"></p>
</form></section>`
}

const SYSTEMS = {
  Android: /Android/,
  iPhone: /iPhone/,
  iPad: /iPad/,
  Windows: /Windows/,
  Mac: /Mac OS X/,
  Linux: /Linux/,
}
const BROWSERS = { Edge: /Edg\//, Firefox: /Firefox\//, Chrome: /Chrome\//, Safari: /Safari\// }

/** Such as "Firefox on Android". */
export function browserOf(userAgent: string): string {
  const nameIn = (known: Record<string, RegExp>) =>
    Object.entries(known).find(([, pattern]) => pattern.test(userAgent))?.[0]
  return `${nameIn(BROWSERS) ?? 'A browser'} on ${nameIn(SYSTEMS) ?? 'a device'}`
}
