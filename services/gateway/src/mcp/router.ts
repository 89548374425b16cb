import { Router } from 'express'
import type { Context } from '../context.ts'
import { readOnly } from '../http/error-object.ts'
import { readBody } from '../http/read-body.ts'
import { openToAll } from '../http/well-known.ts'
import { challengeStrangers, type McpAddress, mcpEndpoint } from './endpoint.ts'
import { catalogue } from './family/catalogue.ts'
import { answerBodyError, methodNotAllowed, refuseEventStream, requireJson, sendJson } from './http-rules.ts'
import { requireAllowedOrigin } from './origin.ts'
import { MCP_PATHS, type McpHost, metadataUrl, resourceMetadata } from './resource-metadata.ts'

const MAX_BODY_BYTES = 256 * 1024

/** The family tool server on one of its two addresses, with the metadata that leads clients to it. */
export function mcpRouter(ctx: Context, host: McpHost): Router {
  const router = Router({ caseSensitive: true })
  const path = MCP_PATHS[host]
  const card = catalogue(ctx.config)

  router.all(path, requireAllowedOrigin(ctx.config))
  router.get(path, refuseEventStream, sendJson(card, 'no-cache'))
  const address = addressOf(ctx, host)
  const challenge = challengeStrangers(ctx, address)
  router.post(path, requireJson(challenge), readBody(MAX_BODY_BYTES), mcpEndpoint(ctx, address))
  router.all(path, methodNotAllowed('GET, POST, OPTIONS'))
  router.use(path, answerBodyError(`The body is larger than ${MAX_BODY_BYTES / 1024} KB.`, challenge))

  const metadata = sendJson(resourceMetadata(ctx.config, host), 'public, max-age=3600')
  const metadataPaths = ['/.well-known/oauth-protected-resource', `/.well-known/oauth-protected-resource${path}`]
  router.use('/.well-known', openToAll)
  router.get(metadataPaths, metadata)
  router.all(metadataPaths, readOnly)
  if (host === 'inbox') return router
  router.get('/.well-known/mcp.json', sendJson(card, 'no-cache'))
  router.all('/.well-known/mcp.json', readOnly)
  return router
}

/** The session cookie counts on the application's own host only. */
function addressOf({ config }: Context, host: McpHost): McpAddress {
  const cookieOrigin = host === 'inbox' ? new URL(config.urls.inbox).origin : undefined
  return { metadataUrl: metadataUrl(config, host), cookieOrigin }
}
