import type { Response } from 'express'
import type { Context } from '../context.ts'
import { applicationDocument } from '../layout/application.ts'
import { toSetCookie } from './cookies.ts'
import type { Reply } from './reply.ts'
import { securityHeadersLeadingElsewhere } from './security-headers.ts'

/** Turns a handler's answer into HTTP. Pages of the application are nobody else's to keep: never stored, never indexed. */
export function sendReply({ config, assets }: Context, res: Response, reply: Reply): void {
  for (const cookie of reply.cookies ?? []) res.append('Set-Cookie', toSetCookie(config, cookie))
  res.set({ 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex' })
  if ('redirectTo' in reply) {
    // A redirect, too, would cut a window off from the application that opened it to sign in.
    res.removeHeader('Cross-Origin-Opener-Policy')
    res.status(303).set('Location', reply.redirectTo).end()
    return
  }
  if (reply.page.leadsElsewhere) res.set(securityHeadersLeadingElsewhere())
  if (reply.retryAfterSec) res.set('Retry-After', `${reply.retryAfterSec}`)
  const document = applicationDocument(reply.page, assets, config.urls.base)
  res
    .status(reply.status ?? 200)
    .type('html')
    .send(document.text)
}
