import { protocolVersion, serverInfo } from '@family-inbox/tool-catalogue/server'
import type { Config } from '../../config.ts'
import { startTool } from './start-tool.ts'

/** What the endpoint is, as JSON text (SPEC "GET /api/mcp/public"). */
export function descriptor({ urls, sandboxBucket }: Pick<Config, 'urls' | 'sandboxBucket'>): string {
  const { capacity, refillSeconds } = sandboxBucket
  return JSON.stringify({
    ...serverInfo,
    description: 'Opens sandbox workspaces for families, without credentials. A person can claim one later.',
    protocolVersion,
    endpoint: `${urls.inbox}/api/mcp/public`,
    transport: 'streamable-http',
    authentication: { schemes: [], note: 'None. The only header needed is Content-Type: application/json.' },
    rateLimit: `Each client address may start ${capacity} workspaces, and gets one more every ${refillSeconds} seconds. Then the answer is 429 with Retry-After: wait that long and try once.`,
    documentation: `${urls.base}/getting-started`,
    tools: [{ name: startTool.name, description: startTool.summary }],
  })
}
