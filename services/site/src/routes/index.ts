import type { Context } from '../context.ts'
import { inHousehold } from '../household.ts'
import type { Route } from '../http/mount-routes.ts'
import { signedIn } from '../session.ts'
import { acceptInvitation } from './accept-invitation.ts'
import { beginPasskeySignIn } from './begin-passkey-sign-in.ts'
import { careCircleRoutes } from './care-circle/index.ts'
import { chooseHousehold } from './choose-household.ts'
import { claimSandbox } from './claim-sandbox.ts'
import { confirmRoutes } from './confirm/index.ts'
import { createHousehold } from './create-household.ts'
import { decideConsent } from './decide-consent.ts'
import { discardSandbox } from './discard-sandbox.ts'
import { finishPasskeySignIn } from './finish-passkey-sign-in.ts'
import { finishSignIn } from './finish-sign-in.ts'
import { forwardingRoutes } from './forwarding/index.ts'
import { inboxRoutes } from './inbox/index.ts'
import { resendCode } from './resend-code.ts'
import { settingsRoutes } from './settings/index.ts'
import { showConnect } from './show-connect.ts'
import { showConsent } from './show-consent.ts'
import { showDevMail } from './show-dev-mail.ts'
import { showDiscardSandbox } from './show-discard-sandbox.ts'
import { showHouseholds } from './show-households.ts'
import { showInvitation } from './show-invitation.ts'
import { showOnboarding } from './show-onboarding.ts'
import { showSandbox } from './show-sandbox.ts'
import { showSignIn } from './show-sign-in.ts'
import { showSignInCode } from './show-sign-in-code.ts'
import { showSignedOut } from './show-signed-out.ts'
import { showUnsubscribe } from './show-unsubscribe.ts'
import { showWelcome } from './show-welcome.ts'
import { signOut } from './sign-out.ts'
import { startSignIn } from './start-sign-in.ts'
import { timelineRoutes } from './timeline/index.ts'
import { unsubscribe } from './unsubscribe.ts'

/** Every address of the application. */
export function applicationRoutes(ctx: Context): Route[] {
  const { outboxDir } = ctx.config
  return [
    ...(outboxDir === undefined ? [] : [{ path: '/dev/mail', get: showDevMail(outboxDir) }]),
    ...inboxRoutes(ctx),
    ...forwardingRoutes(ctx),
    ...timelineRoutes(ctx),
    ...careCircleRoutes(ctx),
    { path: '/connect', get: inHousehold(ctx, showConnect(ctx)) },
    ...settingsRoutes(ctx),
    { path: '/unsubscribe/:token', get: showUnsubscribe(), post: unsubscribe(ctx), postFrom: 'anywhere' },
    { path: '/sign-in', get: showSignIn(ctx), post: startSignIn(ctx) },
    { path: '/sign-in/code', get: showSignInCode(), post: finishSignIn(ctx) },
    { path: '/sign-in/passkey', post: finishPasskeySignIn(ctx) },
    { path: '/sign-in/passkey/options', post: beginPasskeySignIn(ctx) },
    ...confirmRoutes(ctx),
    { path: '/sign-in/resend', post: resendCode(ctx) },
    { path: '/sign-out', post: signOut(ctx) },
    { path: '/signed-out', get: showSignedOut() },
    { path: '/consent/:uid', get: signedIn(ctx, showConsent(ctx)), post: signedIn(ctx, decideConsent(ctx)) },
    { path: '/invitation/:token', get: showInvitation(ctx), post: signedIn(ctx, acceptInvitation(ctx)) },
    { path: '/onboarding', get: signedIn(ctx, showOnboarding(ctx)) },
    { path: '/onboarding/:id', get: signedIn(ctx, showSandbox(ctx)), post: signedIn(ctx, claimSandbox(ctx)) },
    {
      path: '/onboarding/:id/discard',
      get: signedIn(ctx, showDiscardSandbox(ctx)),
      post: signedIn(ctx, discardSandbox(ctx)),
    },
    { path: '/welcome', get: signedIn(ctx, showWelcome()), post: signedIn(ctx, createHousehold(ctx)) },
    { path: '/households', get: signedIn(ctx, showHouseholds(ctx)), post: signedIn(ctx, chooseHousehold(ctx)) },
  ]
}
