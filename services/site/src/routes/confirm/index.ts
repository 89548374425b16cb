import type { Context } from '../../context.ts'
import type { Route } from '../../http/mount-routes.ts'
import { signedIn } from '../../session.ts'
import { beginPasskeyConfirmation } from './begin-passkey-confirmation.ts'
import { confirmWithCode } from './confirm-with-code.ts'
import { confirmWithPasskey } from './confirm-with-passkey.ts'
import { mailConfirmationCode } from './mail-confirmation-code.ts'
import { showConfirm } from './show-confirm.ts'
import { showConfirmCode } from './show-confirm-code.ts'

/** Where somebody who is signed in confirms that it is them. */
export function confirmRoutes(ctx: Context): Route[] {
  return [
    { path: '/confirm', get: signedIn(ctx, showConfirm(ctx)) },
    { path: '/confirm/mail', post: signedIn(ctx, mailConfirmationCode(ctx)) },
    { path: '/confirm/code', get: signedIn(ctx, showConfirmCode()), post: signedIn(ctx, confirmWithCode(ctx)) },
    { path: '/confirm/passkey', post: signedIn(ctx, confirmWithPasskey(ctx)) },
    { path: '/confirm/passkey/options', post: signedIn(ctx, beginPasskeyConfirmation(ctx)) },
  ]
}
