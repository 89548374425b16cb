import { appointmentRoutes } from './appointments/index.ts'
import { approvalRoutes } from './approvals/index.ts'
import { acceptInvitation, showInvitation } from './care-circle/accept-invitation.ts'
import { careCircleRoutes } from './care-circle/index.ts'
import { showConnect } from './connect/connect.ts'
import { showConsent } from './consent/consent.ts'
import type { Context } from './context.ts'
import { showDevMail } from './dev-mail.ts'
import { sendTestMail, showGuide } from './forwarding/guide.ts'
import { inboxRoutes } from './inbox/index.ts'
import { chooseWorkspace, showWorkspaces } from './onboarding/choose-workspace.ts'
import { createWorkspace, showWelcome } from './onboarding/welcome.ts'
import { claimSandbox, showSandbox } from './sandbox-claim/claim.ts'
import { discardAll, discardSandbox, showDiscardAll, showDiscardSandbox } from './sandbox-claim/discard.ts'
import { showOnboarding } from './sandbox-claim/sandboxes.ts'
import { settingsRoutes } from './settings/index.ts'
import { showUnsubscribe, unsubscribe } from './settings/unsubscribe.ts'
import type { Route } from './shell/mount-routes.ts'
import { recentlySignedIn, signedIn } from './shell/session.ts'
import { inWorkspace } from './shell/workspace.ts'
import { signInRoutes } from './sign-in/index.ts'
import { showMedication } from './timeline/medication.ts'
import { showReadings } from './timeline/readings.ts'
import { showTimeline } from './timeline/timeline.ts'

export function applicationRoutes(ctx: Context): Route[] {
  const { outboxDir } = ctx.config
  return [
    ...(outboxDir === undefined ? [] : [{ path: '/dev/mail', get: showDevMail(outboxDir) }]),
    ...inboxRoutes(ctx),
    ...approvalRoutes(ctx),
    { path: '/forwarding/:lovedOneId', get: inWorkspace(ctx, showGuide(ctx)) },
    { path: '/forwarding/:lovedOneId/test', post: inWorkspace(ctx, sendTestMail(ctx)) },
    { path: '/timeline', get: inWorkspace(ctx, showTimeline(ctx)) },
    { path: '/timeline/readings', get: inWorkspace(ctx, showReadings(ctx)) },
    { path: '/timeline/medication', get: inWorkspace(ctx, showMedication(ctx)) },
    { path: '/timeline/:lovedOneId', get: inWorkspace(ctx, showTimeline(ctx)) },
    { path: '/timeline/:lovedOneId/readings', get: inWorkspace(ctx, showReadings(ctx)) },
    { path: '/timeline/:lovedOneId/medication', get: inWorkspace(ctx, showMedication(ctx)) },
    ...appointmentRoutes(ctx),
    ...careCircleRoutes(ctx),
    { path: '/connect', get: inWorkspace(ctx, showConnect(ctx)) },
    ...settingsRoutes(ctx),
    {
      path: '/unsubscribe/:token',
      get: showUnsubscribe('notifications'),
      post: unsubscribe(ctx, 'notifications'),
      postFrom: 'anywhere',
    },
    {
      path: '/unsubscribe/:token/weekly',
      get: showUnsubscribe('weeklySummary'),
      post: unsubscribe(ctx, 'weeklySummary'),
      postFrom: 'anywhere',
    },
    ...signInRoutes(ctx),
    { path: '/consent/:uid', get: recentlySignedIn(signedIn(ctx, showConsent(ctx)), ['access', 'workspace']) },
    { path: '/invitation/:token', get: showInvitation(ctx), post: signedIn(ctx, acceptInvitation(ctx)) },
    { path: '/onboarding', get: signedIn(ctx, showOnboarding(ctx)) },
    { path: '/onboarding/:id', get: signedIn(ctx, showSandbox(ctx)), post: signedIn(ctx, claimSandbox(ctx)) },
    { path: '/onboarding/all/discard', get: signedIn(ctx, showDiscardAll()), post: signedIn(ctx, discardAll(ctx)) },
    {
      path: '/onboarding/:id/discard',
      get: signedIn(ctx, showDiscardSandbox(ctx)),
      post: signedIn(ctx, discardSandbox(ctx)),
    },
    { path: '/welcome', get: signedIn(ctx, showWelcome()), post: signedIn(ctx, createWorkspace(ctx)) },
    { path: '/families', get: signedIn(ctx, showWorkspaces(ctx)), post: signedIn(ctx, chooseWorkspace(ctx)) },
  ]
}
