import { appointmentRoutes } from './appointments/index.ts'
import { approvalRoutes } from './approvals/index.ts'
import { careCircleRoutes } from './care-circle/index.ts'
import { connectRoutes } from './connect/index.ts'
import { consentRoutes } from './consent/index.ts'
import type { Context } from './context.ts'
import { devMailRoutes } from './dev-mail/index.ts'
import { emergencySheetRoutes } from './emergency-sheet/index.ts'
import { forwardingRoutes } from './forwarding/index.ts'
import { inboxRoutes } from './inbox/index.ts'
import { junkRoutes } from './junk/index.ts'
import { onboardingRoutes } from './onboarding/index.ts'
import { operatorRoutes } from './operator/index.ts'
import { setUpRoutes } from './set-up/index.ts'
import { settingsRoutes } from './settings/index.ts'
import type { Route } from './shell/mount-routes.ts'
import { signInRoutes } from './sign-in/index.ts'
import { timelineRoutes } from './timeline/index.ts'
import { toDoRoutes } from './to-dos/index.ts'
import { welcomeRoutes } from './welcome/index.ts'

const FEATURES = [
  appointmentRoutes,
  approvalRoutes,
  careCircleRoutes,
  connectRoutes,
  consentRoutes,
  devMailRoutes,
  emergencySheetRoutes,
  forwardingRoutes,
  inboxRoutes,
  junkRoutes,
  onboardingRoutes,
  operatorRoutes,
  settingsRoutes,
  setUpRoutes,
  signInRoutes,
  timelineRoutes,
  toDoRoutes,
  welcomeRoutes,
]

export function applicationRoutes(ctx: Context): Route[] {
  return FEATURES.flatMap((routesOf) => routesOf(ctx))
}
