import type { RequestHandler } from 'express'
import type { ErrorObject } from './error-object.ts'

/** Allows any origin to read metadata, with preflight, as MCP clients in a browser need. Cookies do not count here. */
export const openToAll: RequestHandler = (req, res, next) => {
  res.set('Access-Control-Allow-Origin', '*')
  if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) return next()
  res
    .status(204)
    .set({
      'Access-Control-Allow-Methods': 'GET',
      'Access-Control-Allow-Headers': 'Accept, Authorization, Content-Type, MCP-Protocol-Version',
      'Access-Control-Max-Age': '3600',
    })
    .end()
}

/** 404 as JSON. A page, redirect or 401 would end the search of clients (RFC 8414 section 3, RFC 9728 section 3). */
export const unknownWellKnown: RequestHandler = (_req, res) => {
  const message = 'There is no metadata at this address.'
  const hint = 'See /.well-known/oauth-protected-resource and /.well-known/oauth-authorization-server.'
  res.status(404).set('Cache-Control', 'no-store')
  res.json({ error: { code: 'not_found', message, hint } } satisfies ErrorObject)
}
