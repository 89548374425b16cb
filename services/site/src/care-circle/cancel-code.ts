import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { asPerson } from '../shell/session.ts'
import type { WorkspaceHandler } from '../shell/workspace.ts'
import { confirmPage } from './confirm-page.ts'
import { readCodes, requireCode, requireWriter } from './read-circle.ts'

/** Asks for confirmation. */
export function showCancelCode(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { id, ending, lovedOne } = requireCode(await readCodes(ctx, visit, workspace), visit.param('id'))
    requireWriter(workspace)
    const page = confirmPage({
      workspace,
      title: 'Cancel this code?',
      question: html`Cancel the code ending in ${ending}?`,
      consequences: [
        html`It is for <bdi>${lovedOne.name}</bdi> and hasn’t been used. It stops working right away. Agencies that are already linked stay linked.`,
      ],
      action: `/care-circle/codes/${id}/cancel`,
      button: 'Cancel code',
      back: '/care-circle',
    })
    return { page }
  }
}

/** Cancels an unused code. */
export function cancelCode(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    await ctx.careCircle.cancelProviderCode({ codeId: visit.param('id').slice(0, 128) }, asPerson(session, visit))
    return { redirectTo: '/care-circle', flash: 'code-voided' }
  }
}
