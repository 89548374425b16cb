import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { asPerson } from '../shell/session.ts'
import { requireLovedOne, type WorkspaceHandler } from '../shell/workspace.ts'
import { confirmPage } from './confirm-page.ts'
import { readLovedOnes, requireWriter } from './read-circle.ts'

/** Allocates a loved one's address, or keeps the one they have. */
export function allocateAddress(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    const lovedOneId = visit.param('id').slice(0, 128)
    await ctx.inbox.allocateInboxAddress({ lovedOneId }, asPerson(session, visit))
    return { redirectTo: `/care-circle/loved-ones/${lovedOneId}`, flash: 'address-allocated' }
  }
}

/** Asks for confirmation. */
export function showRetireAddress(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { id, name } = requireLovedOne(workspace, visit.param('id'))
    requireWriter(workspace)
    const { address } = (await readLovedOnes(ctx, visit, workspace)).find((one) => one.id === id) ?? {}
    const back = `/care-circle/loved-ones/${id}`
    if (address === undefined) return { redirectTo: back }
    const page = confirmPage({
      workspace,
      title: 'Retire this address?',
      question: html`Retire the address of <bdi>${name}</bdi>?`,
      consequences: [
        html`<strong><bdi>${address}</bdi></strong> stops receiving mail right away. Mail sent to it bounces.`,
        'Mail that has already arrived stays. Everyone in your care circle can still read it.',
        'You can’t undo this, and nobody can use this address again. If you get a new address, tell your clinics and update your forwarding.',
      ],
      action: `/care-circle/loved-ones/${id}/retire`,
      hidden: { address },
      button: 'Retire address',
      back,
    })
    return { page }
  }
}

/** Retires the address named in the form, so that a repeated submit cannot retire its replacement. */
export function retireAddress(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    const lovedOneId = visit.param('id').slice(0, 128)
    const address = visit.field('address').slice(0, 320)
    await ctx.inbox.retireInboxAddress({ lovedOneId, address }, asPerson(session, visit))
    return { redirectTo: `/care-circle/loved-ones/${lovedOneId}`, flash: 'address-retired' }
  }
}
