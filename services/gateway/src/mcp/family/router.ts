import { endpointsOf, PATHS } from '@family-inbox/workspace-kit/endpoints'
import { PRODUCT } from '@family-inbox/workspace-kit/product'
import { CARD_PATHS, CARD_TYPE, serverCard } from '@family-inbox/workspace-kit/server-card'
import {
  OFFERED_SCOPES,
  SERVER_DESCRIPTION,
  serverInfo,
  spokenRevisions,
} from '@family-inbox/workspace-kit/tool-catalogue'
import { Router } from 'express'
import type { Config } from '../../config.ts'
import type { Context } from '../../context.ts'
import { readOnly } from '../../http/error-object.ts'
import { readBody } from '../../http/read-body.ts'
import { openToAll } from '../../http/well-known.ts'
import {
  answerBodyError,
  byPublicSite,
  methodNotAllowed,
  refuseEventStream,
  refuseOtherTypes,
  sendJson,
} from '../http-rules.ts'
import { refuseOtherOrigins } from '../origin.ts'
import { type McpAddress, mcpEndpoint, rejectUnauthenticated } from './endpoint.ts'
import { tools } from './tools/index.ts'

const MAX_BODY_BYTES = 256 * 1024
const MCP_PATHS = { api: PATHS.mcp, inbox: PATHS.mcpAlias } as const

export function mcpRouter(ctx: Context, host: McpHost): Router {
  const router = Router({ caseSensitive: true })
  const path = MCP_PATHS[host]
  const card = byPublicSite(ctx, (hasPublicSite) => sendJson(catalogue({ ...ctx.config, hasPublicSite }), 'no-cache'))

  router.all(path, refuseOtherOrigins(ctx.config))
  router.get(path, refuseEventStream, card)
  const address = addressOf(ctx, host)
  const challenge = rejectUnauthenticated(ctx, address)
  router.post(path, refuseOtherTypes(challenge), readBody(MAX_BODY_BYTES), mcpEndpoint(ctx, address))
  router.all(path, methodNotAllowed('GET, POST, OPTIONS'))
  router.use(path, answerBodyError(`The body is larger than ${MAX_BODY_BYTES / 1024} KB.`, challenge))

  const cardPaths = host === 'api' ? [CARD_PATHS.mcp, CARD_PATHS.wellKnown] : [CARD_PATHS.mcpAlias]
  router.use(cardPaths, openToAll)
  router.get(cardPaths, sendJson(serverCard(ctx.config), 'public, max-age=3600', CARD_TYPE))
  router.all(cardPaths, readOnly)
  const metadata = byPublicSite(ctx, (hasPublicSite) =>
    sendJson(resourceMetadata({ ...ctx.config, hasPublicSite }, host), 'public, max-age=3600'),
  )
  const metadataPaths = ['/.well-known/oauth-protected-resource', `/.well-known/oauth-protected-resource${path}`]
  router.use('/.well-known', openToAll)
  router.get(metadataPaths, metadata)
  router.all(metadataPaths, readOnly)
  if (host === 'inbox') return router
  router.get('/.well-known/mcp.json', card)
  router.all('/.well-known/mcp.json', readOnly)
  return router
}

function addressOf({ config }: Context, host: McpHost): McpAddress {
  const cookieOrigin = host === 'inbox' ? new URL(config.urls.inbox).origin : undefined
  return { metadataUrl: metadataUrl(config, host), cookieOrigin }
}

type McpHost = keyof typeof MCP_PATHS

/** The metadata URL: the MCP path comes after the well-known part (RFC 9728 section 3.1). */
function metadataUrl({ urls }: Pick<Config, 'urls'>, host: McpHost): string {
  return `${urls[host]}/.well-known/oauth-protected-resource${MCP_PATHS[host]}`
}

/** Protected-resource metadata (RFC 9728 section 2). Clients compare `resource` byte for byte. */
function resourceMetadata({ urls, hasPublicSite }: Pick<Config, 'urls' | 'hasPublicSite'>, host: McpHost): string {
  return JSON.stringify({
    resource: `${urls[host]}${MCP_PATHS[host]}`,
    authorization_servers: [urls.inbox],
    scopes_supported: OFFERED_SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: PRODUCT,
    ...(hasPublicSite && { resource_documentation: `${urls.base}/developers` }),
  })
}

/** SPEC "GET /mcp/v1": input schemas are only in the authenticated tools/list. */
function catalogue({ urls, serverName, hasPublicSite }: Pick<Config, 'urls' | 'serverName' | 'hasPublicSite'>): string {
  const endpoints = endpointsOf(urls)
  return JSON.stringify({
    ...serverInfo,
    name: serverName,
    description: SERVER_DESCRIPTION,
    ...spokenRevisions,
    endpoint: endpoints.mcp,
    alias: endpoints.mcpAlias,
    transport: 'streamable-http',
    authentication: {
      schemes: ['bearer'],
      keys: `A family member creates a tool key at ${urls.inbox} under Settings, Your assistants, Create a tool key.`,
      protectedResourceMetadata: metadataUrl({ urls }, 'api'),
    },
    rateLimit: 'At most 60 calls in any 60 seconds per credential.',
    ...(hasPublicSite && { documentation: `${urls.base}/developers` }),
    tools: tools.map(({ name, summary, kind, scope }) => ({ name, description: summary, kind, scope: scope ?? null })),
  })
}
