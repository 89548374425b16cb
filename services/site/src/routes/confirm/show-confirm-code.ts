import { confirmationOf } from '../../confirm/confirm-reply.ts'
import { confirmCodePage } from '../../pages/confirm.ts'
import { type SignedInHandler, toViewer } from '../../session.ts'

/** Shows the question for the code, once one was mailed. */
export function showConfirmCode(): SignedInHandler {
  return async (visit, session) => {
    const { challenge, returnTo } = confirmationOf(visit)
    if (challenge === '') return { redirectTo: '/confirm' }
    return { page: confirmCodePage({ viewer: toViewer(session), returnTo, errors: {} }) }
  }
}
