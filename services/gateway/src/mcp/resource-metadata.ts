import { OFFERED_SCOPES } from '@family-inbox/tool-catalogue/scopes'
import type { Config } from '../config.ts'

/** The two addresses of the family tool server: path on its own host. */
export const MCP_PATHS = { api: '/mcp/v1', inbox: '/api/mcp' } as const

export type McpHost = keyof typeof MCP_PATHS

/** Where the protected-resource metadata of an MCP address is: its path comes after the well-known part (RFC 9728 section 3.1). */
export function metadataUrl({ urls }: Pick<Config, 'urls'>, host: McpHost): string {
  return `${urls[host]}/.well-known/oauth-protected-resource${MCP_PATHS[host]}`
}

/** The protected-resource metadata of an MCP address (RFC 9728 section 2), as JSON text. `resource` is the address itself, byte for byte. */
export function resourceMetadata({ urls }: Pick<Config, 'urls'>, host: McpHost): string {
  return JSON.stringify({
    resource: `${urls[host]}${MCP_PATHS[host]}`,
    authorization_servers: [urls.inbox],
    scopes_supported: OFFERED_SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'Family Care Inbox',
    resource_documentation: `${urls.base}/getting-started`,
  })
}
