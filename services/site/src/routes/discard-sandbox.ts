import { StatusError } from '@family-inbox/service-kit/status-error'
import type { Context } from '../context.ts'
import { messagePage } from '../pages/message.ts'
import { sandboxOver } from '../sandbox-reply.ts'
import { asPerson, type SignedInHandler, toViewer } from '../session.ts'

/** Deletes what an assistant opened for this person. */
export function discardSandbox(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    try {
      await ctx.sandbox.discardSandbox({ workspaceId: visit.param('id').slice(0, 128) }, asPerson(session, visit))
    } catch (error) {
      if (error instanceof StatusError && error.status === 'NOT_FOUND') return sandboxOver(session)
      throw error
    }
    const lines = ['It is gone, with all that was in it. Its address takes no mail any more, and nobody gets it again.']
    const next = { label: 'To the first page', href: '/' }
    return { page: messagePage({ title: 'The inbox is deleted', lines, next, viewer: toViewer(session) }) }
  }
}
