import type { Context } from '../context.ts'
import type { Route } from '../shell/mount-routes.ts'
import { isOperator } from './access.ts'
import { checkAgain, showOperator } from './operator-page.ts'
import { flipSwitch } from './switches.ts'

/** Where there is no doctor to ask, as on a cluster or a demo, nothing is here. */
export function operatorRoutes(ctx: Context): Route[] {
  const { doctor } = ctx.config
  if (doctor === undefined) return []
  const gate = isOperator(ctx)
  return [
    { path: '/operator', gate, get: showOperator(ctx, doctor), post: flipSwitch(ctx) },
    { path: '/operator/check', gate, post: checkAgain(ctx, doctor) },
  ]
}
