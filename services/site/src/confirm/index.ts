import type { Context } from '../context.ts'
import type { Route } from '../shell/mount-routes.ts'
import { signedIn } from '../shell/session.ts'
import { confirmWithCode, mailConfirmationCode, showConfirm, showConfirmCode } from './confirm.ts'
import { beginPasskeyConfirmation, confirmWithPasskey } from './passkey.ts'

/** The routes for confirming one's identity. */
export function confirmRoutes(ctx: Context): Route[] {
  return [
    { path: '/confirm', get: signedIn(ctx, showConfirm(ctx)) },
    { path: '/confirm/mail', post: signedIn(ctx, mailConfirmationCode(ctx)) },
    { path: '/confirm/code', get: signedIn(ctx, showConfirmCode()), post: signedIn(ctx, confirmWithCode(ctx)) },
    { path: '/confirm/passkey', post: signedIn(ctx, confirmWithPasskey(ctx)) },
    { path: '/confirm/passkey/options', post: signedIn(ctx, beginPasskeyConfirmation(ctx)) },
  ]
}
