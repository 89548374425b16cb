import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { asPerson } from '../shell/session.ts'
import { requireLovedOne, type WorkspaceHandler } from '../shell/workspace.ts'
import { askPage } from './confirm-page.ts'
import { readLovedOnes, requireWriter } from './read-circle.ts'

/** Gives a loved one an address; the same again when they have one. */
export function allocateAddress(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    const lovedOneId = visit.param('id').slice(0, 128)
    await ctx.inbox.allocateInboxAddress({ lovedOneId }, asPerson(session, visit))
    return { redirectTo: `/care-circle/loved-ones/${lovedOneId}`, flash: 'address-allocated' }
  }
}

/** Asks whether a loved one's address shall really be retired. */
export function showRetireAddress(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { id, name } = requireLovedOne(workspace, visit.param('id'))
    requireWriter(workspace)
    const { address } = (await readLovedOnes(ctx, visit, workspace)).find((one) => one.id === id) ?? {}
    const back = `/care-circle/loved-ones/${id}`
    if (address === undefined) return { redirectTo: back }
    const page = askPage({
      workspace,
      title: 'Retire this address?',
      question: html`Retire the address of <bdi>${name}</bdi>?`,
      means: [
        html`No mail is taken at <strong><bdi>${address}</bdi></strong> any more, from that moment on. Whoever writes to it is told that there is no such address.`,
        'All mail that has arrived stays, and everybody in your care circle can read it as before.',
        'It cannot be undone: nobody ever gets this address again, not even you. You can get a new one, and then have to tell the clinics and change your forwarding.',
      ],
      action: `/care-circle/loved-ones/${id}/retire`,
      hidden: { address },
      button: 'Retire the address',
      back,
    })
    return { page }
  }
}

/** Retires the very address the form asked about, so that a form sent twice does not end the one after it. */
export function retireAddress(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    const lovedOneId = visit.param('id').slice(0, 128)
    const address = visit.field('address').slice(0, 320)
    await ctx.inbox.retireInboxAddress({ lovedOneId, address }, asPerson(session, visit))
    return { redirectTo: `/care-circle/loved-ones/${lovedOneId}`, flash: 'address-retired' }
  }
}
