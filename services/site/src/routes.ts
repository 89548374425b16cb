import { acceptInvitation, showInvitation } from './care-circle/accept-invitation.ts'
import { careCircleRoutes } from './care-circle/index.ts'
import { confirmRoutes } from './confirm/index.ts'
import { showConnect } from './connect/connect.ts'
import { decideConsent, showConsent } from './consent/consent.ts'
import type { Context } from './context.ts'
import { showDevMail } from './dev-mail.ts'
import { forwardingRoutes } from './forwarding/index.ts'
import { inboxRoutes } from './inbox/index.ts'
import { chooseWorkspace, showWorkspaces } from './onboarding/choose-workspace.ts'
import { createWorkspace, showWelcome } from './onboarding/welcome.ts'
import { claimSandbox, showSandbox } from './sandbox-claim/claim.ts'
import { discardSandbox, showDiscardSandbox } from './sandbox-claim/discard.ts'
import { showOnboarding } from './sandbox-claim/sandboxes.ts'
import { settingsRoutes } from './settings/index.ts'
import { showUnsubscribe, unsubscribe } from './settings/unsubscribe.ts'
import type { Route } from './shell/mount-routes.ts'
import { signedIn } from './shell/session.ts'
import { inWorkspace } from './shell/workspace.ts'
import { finishSignIn, resendCode, showSignInCode } from './sign-in/code.ts'
import { beginPasskeySignIn, finishPasskeySignIn } from './sign-in/passkey.ts'
import { showSignIn, startSignIn } from './sign-in/sign-in.ts'
import { showSignedOut, signOut } from './sign-in/sign-out.ts'
import { timelineRoutes } from './timeline/index.ts'

/** All routes of the application. */
export function applicationRoutes(ctx: Context): Route[] {
  const { outboxDir } = ctx.config
  return [
    ...(outboxDir === undefined ? [] : [{ path: '/dev/mail', get: showDevMail(outboxDir) }]),
    ...inboxRoutes(ctx),
    ...forwardingRoutes(ctx),
    ...timelineRoutes(ctx),
    ...careCircleRoutes(ctx),
    { path: '/connect', get: inWorkspace(ctx, showConnect(ctx)) },
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
    { path: '/welcome', get: signedIn(ctx, showWelcome()), post: signedIn(ctx, createWorkspace(ctx)) },
    { path: '/families', get: signedIn(ctx, showWorkspaces(ctx)), post: signedIn(ctx, chooseWorkspace(ctx)) },
  ]
}
