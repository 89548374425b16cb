import type { Context } from '../../context.ts'
import { inHousehold } from '../../household.ts'
import type { Route } from '../../http/mount-routes.ts'
import { sendTestMail } from './send-test-mail.ts'
import { showGuide } from './show-guide.ts'

/** The addresses of the forwarding guide. */
export function forwardingRoutes(ctx: Context): Route[] {
  return [
    { path: '/forwarding/:lovedOneId', get: inHousehold(ctx, showGuide(ctx)) },
    { path: '/forwarding/:lovedOneId/test', post: inHousehold(ctx, sendTestMail(ctx)) },
  ]
}
