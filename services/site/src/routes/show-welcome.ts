import { safeReturnTo } from '../http/return-to.ts'
import { welcomePage } from '../pages/welcome.ts'
import { type SignedInHandler, toViewer } from '../session.ts'

/** Shows the questions that make a household. */
export function showWelcome(): SignedInHandler {
  return async (visit, session) => {
    const values = { lovedOne: '', relationship: '', yourName: session.name, familyName: '' }
    const returnTo = safeReturnTo(visit.query('return_to'))
    return { page: welcomePage({ viewer: toViewer(session), returnTo, values, errors: {} }) }
  }
}
