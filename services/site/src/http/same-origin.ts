import type { IncomingHttpHeaders } from 'node:http'
import { StatusError } from '@family-inbox/service-kit/status-error'
import type { RequestHandler } from 'express'
import type { Config } from '../config.ts'

/**
 * Whether a form was sent by a page of our own. Browsers say so in Sec-Fetch-Site, which no page can forge; those too old
 * for it, or on an address without TLS, send Origin. Who sends neither is no browser we know, and is not believed.
 */
export function isSentFromOurPages(headers: IncomingHttpHeaders, ownOrigin: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  return headers.origin === ownOrigin
}

/** Refuses what other sites make a browser send (CSRF), before anything of it is read. */
export function requireOwnForm({ urls }: Pick<Config, 'urls'>): RequestHandler {
  const ownOrigin = new URL(urls.inbox).origin
  return (req, _res, next) => {
    if (isSentFromOurPages(req.headers, ownOrigin)) return next()
    throw new StatusError('PERMISSION_DENIED', 'This form was sent from another site, so nothing was done.')
  }
}
