import { endpointsOf, PATHS } from './endpoints.ts'
import { HANDSHAKE_REVISIONS, STATELESS_REVISION, serverInfo } from './tool-catalogue.ts'

/** A reversed domain that the operator can prove, a slash, and the server's name (MCP registry, 2025-12-11). */
export const SERVER_NAME = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/

/** Where a card is: beside its address, as SEP-2127 reserves it. */
export const CARD_PATHS = {
  mcp: `${PATHS.mcp}/server-card`,
  mcpAlias: `${PATHS.mcpAlias}/server-card`,
  /** Where drafts before it had it. */
  wellKnown: '/.well-known/mcp/server-card.json',
} as const

export const CARD_TYPE = 'application/mcp-server-card+json'

/** At most 100 characters, as the registry allows. */
export const SHORT_DESCRIPTION =
  'A family’s shared care inbox: read its mail and timeline, reply, invite, link a provider.'

type Listed = {
  urls: { base: string; api: string; inbox: string }
  /** See `SERVER_NAME`. */
  serverName: string
  /** Where the source of this installation is. */
  sourceUrl?: string | undefined
}

/** What directories and clients read of the family tool server before they connect: the card itself, and the manifest of the registry. */
export function describeServer({ urls, serverName, sourceUrl }: Listed) {
  return {
    name: serverName,
    title: serverInfo.title,
    description: SHORT_DESCRIPTION,
    version: serverInfo.version,
    websiteUrl: urls.base,
    ...(sourceUrl && {
      repository: { url: sourceUrl, source: new URL(sourceUrl).hostname.replace(/\.com$|\.org$/, '') },
    }),
    icons: [{ src: `${urls.base}/icon-512.png`, mimeType: 'image/png', sizes: ['512x512'] }],
  }
}

/** The card of the family tool server (SEP-2127, schema v2). It lists no tools: clients ask the server. */
export function serverCard(listed: Listed): string {
  return JSON.stringify({
    $schema: 'https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json',
    ...describeServer(listed),
    remotes: [
      {
        type: 'streamable-http',
        url: endpointsOf(listed.urls).mcp,
        supportedProtocolVersions: [...HANDSHAKE_REVISIONS, STATELESS_REVISION],
      },
    ],
  })
}
