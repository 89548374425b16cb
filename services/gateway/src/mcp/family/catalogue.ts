import { serverInfo, spokenRevisions } from '@family-inbox/workspace-kit/tool-catalogue'
import type { Config } from '../../config.ts'
import { tools } from './tools/index.ts'

/**
 * The public description of the family tool server, as JSON text (SPEC "GET /mcp/v1"). Input schemas are only in the
 * authenticated tools/list.
 */
export function catalogue({ urls }: Pick<Config, 'urls'>): string {
  return JSON.stringify({
    ...serverInfo,
    description: 'One family’s shared inbox and care circle, for the agents the family uses.',
    ...spokenRevisions,
    endpoint: `${urls.api}/mcp/v1`,
    alias: `${urls.inbox}/api/mcp`,
    transport: 'streamable-http',
    authentication: {
      schemes: ['bearer'],
      keys: `A family member creates a tool key at ${urls.inbox} under Settings, Tool keys.`,
      protectedResourceMetadata: `${urls.api}/.well-known/oauth-protected-resource/mcp/v1`,
    },
    rateLimit: 'At most 60 calls in any 60 seconds per credential.',
    documentation: `${urls.base}/getting-started`,
    tools: tools.map(({ name, summary, kind, scope }) => ({ name, description: summary, kind, scope: scope ?? null })),
  })
}
