import { safeReturnTo } from '../http/return-to.ts'
import type { SignedInHandler } from '../session.ts'
import { readAnswers } from '../welcome/answers.ts'
import { welcomeReply } from '../welcome/welcome-reply.ts'

/** Shows the first question of those that make a household. */
export function showWelcome(): SignedInHandler {
  return async (visit, session) => {
    const returnTo = safeReturnTo(visit.query('return_to'))
    return welcomeReply(session, { step: 0, returnTo, answers: readAnswers({ field: () => '' }) })
  }
}
