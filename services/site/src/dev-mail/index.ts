import type { Context } from '../context.ts'
import type { Route } from '../shell/mount-routes.ts'
import { showDevMail } from './dev-mail.ts'

/** On local installations only. */
export function devMailRoutes({ config: { outboxDir } }: Context): Route[] {
  return outboxDir === undefined ? [] : [{ path: '/dev/mail', get: showDevMail(outboxDir) }]
}
