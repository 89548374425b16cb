import type { VisitHandler } from '../http/visit.ts'
import { signInCodePage } from '../pages/sign-in-code.ts'
import { readSignIn } from '../sign-in-cookie.ts'

/** Shows the question for the code, in the browser that asked for one; any other begins at the email. */
export function showSignInCode(): VisitHandler {
  return async (visit) => {
    const signIn = readSignIn(visit.cookies.signIn)
    if (signIn === undefined) return { redirectTo: '/sign-in' }
    return { page: signInCodePage({ email: signIn.email, errors: {}, resent: visit.query('sent') === 'again' }) }
  }
}
