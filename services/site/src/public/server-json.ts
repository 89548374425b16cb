import { serverInfo } from '@family-inbox/tool-catalogue/server'
import { TOOLS } from '@family-inbox/tool-catalogue/tools'
import type { Config } from '../config.ts'
import { FACTS } from './facts.ts'

/** The manifest of the family tool server in the form of the MCP registry (schema of 2025-12-11). */
export function serverJson({ urls }: Pick<Config, 'urls'>): string {
  return JSON.stringify({
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: serverInfo.name,
    title: serverInfo.title,
    description: FACTS.shortDescription,
    version: serverInfo.version,
    websiteUrl: urls.base,
    remotes: [{ type: 'streamable-http', url: `${urls.api}/mcp/v1` }],
    _meta: {
      'io.modelcontextprotocol.registry/publisher-provided': {
        documentation: `${urls.base}/getting-started.md`,
        sandbox: `${urls.inbox}/api/mcp/public`,
        tools: TOOLS.map(({ name }) => name),
      },
    },
  })
}
