import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { asPerson } from '../shell/session.ts'
import type { WorkspaceHandler } from '../shell/workspace.ts'
import { askPage } from './confirm-page.ts'
import { readCodes, requireCode, requireWriter } from './read-circle.ts'

/** Asks whether a code shall really be made worthless. */
export function showVoidCode(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { id, ending, lovedOne } = requireCode(await readCodes(ctx, visit, workspace), visit.param('id'))
    requireWriter(workspace)
    const page = askPage({
      workspace,
      title: 'Void this code?',
      question: html`Void the code ending in ${ending}?`,
      means: [
        html`It is for <bdi>${lovedOne.name}</bdi>, and nobody has used it. From that moment on it is worthless. An agency that is linked already stays linked.`,
      ],
      action: `/care-circle/codes/${id}/void`,
      button: 'Void the code',
      back: '/care-circle',
    })
    return { page }
  }
}

/** Makes an unused code worthless. */
export function voidCode(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    await ctx.careCircle.cancelProviderCode({ codeId: visit.param('id').slice(0, 128) }, asPerson(session, visit))
    return { redirectTo: '/care-circle', flash: 'code-voided' }
  }
}
