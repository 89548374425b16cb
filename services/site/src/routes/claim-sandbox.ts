import { StatusError } from '@family-inbox/service-kit/status-error'
import type { Context } from '../context.ts'
import { toFieldErrors } from '../form-errors.ts'
import type { Visit } from '../http/visit.ts'
import { sandboxOver, sandboxReply } from '../sandbox-reply.ts'
import { asPerson, asSite, type SignedInHandler } from '../session.ts'

/** Takes over what an assistant opened, invites those who were ticked, and goes there. */
export function claimSandbox(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const values = readAnswers(visit)
    const { yourName: name, ...answers } = values
    try {
      const request = { workspaceId: visit.param('id').slice(0, 128), name, ...answers }
      const { workspaceId } = await ctx.sandbox.claimSandbox(request, asPerson(session, visit))
      await ctx.auth.selectWorkspace({ session: visit.cookies.session, workspaceId }, asSite(visit))
      return { redirectTo: '/' }
    } catch (error) {
      if (error instanceof StatusError && error.status === 'NOT_FOUND') return sandboxOver(session)
      return sandboxReply(ctx, visit, session, { values, errors: toFieldErrors(error, WORDS, { name: 'yourName' }) })
    }
  }
}

function readAnswers(visit: Visit) {
  const answer = (name: string) => visit.field(name).slice(0, 1000)
  return {
    yourName: answer('yourName'),
    relationship: answer('relationship'),
    familyName: answer('familyName'),
    invite: visit.fields('invite').slice(0, 20),
  }
}

const WORDS = {
  yourName: 'Type your own name, up to 120 characters',
  relationship: 'Say what you are to them in up to 60 characters, or leave it empty',
  familyName: 'Type a name for your family’s inbox, up to 120 characters',
  invite: 'One of these addresses cannot be invited: untick those that look odd',
}
