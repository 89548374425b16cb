import type { Context } from '../context.ts'
import type { Route } from '../shell/mount-routes.ts'
import { signedIn } from '../shell/session.ts'
import { finishSignIn, resendCode, showSignInCode } from './code.ts'
import {
  beginPasskeyConfirmation,
  confirmWithCode,
  confirmWithPasskey,
  mailConfirmationCode,
  showConfirm,
  showConfirmCode,
} from './confirm.ts'
import { beginPasskeySignIn, finishPasskeySignIn } from './passkey.ts'
import { finishRecovery, showRecovery } from './recovery.ts'
import { showSignIn, startInvitedSignIn, startSignIn } from './sign-in.ts'
import { showSignedOut, signOut } from './sign-out.ts'

export function signInRoutes(ctx: Context): Route[] {
  return [
    { path: '/sign-in', get: showSignIn(ctx), post: startSignIn(ctx) },
    { path: '/sign-in/invitation', post: startInvitedSignIn(ctx) },
    { path: '/sign-in/code', get: showSignInCode(), post: finishSignIn(ctx) },
    { path: '/sign-in/resend', post: resendCode(ctx) },
    { path: '/sign-in/passkey', post: finishPasskeySignIn(ctx) },
    { path: '/sign-in/passkey/options', post: beginPasskeySignIn(ctx) },
    { path: '/sign-in/recovery', get: showRecovery(), post: finishRecovery(ctx) },
    { path: '/sign-out', post: signOut(ctx) },
    { path: '/signed-out', get: showSignedOut() },
    { path: '/confirm', get: signedIn(ctx, showConfirm(ctx)) },
    { path: '/confirm/mail', post: signedIn(ctx, mailConfirmationCode(ctx)) },
    { path: '/confirm/code', get: signedIn(ctx, showConfirmCode()), post: signedIn(ctx, confirmWithCode(ctx)) },
    { path: '/confirm/passkey', post: signedIn(ctx, confirmWithPasskey(ctx)) },
    { path: '/confirm/passkey/options', post: signedIn(ctx, beginPasskeyConfirmation(ctx)) },
  ]
}
