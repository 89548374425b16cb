/** Paths of the public endpoints. The family tool server has one at `{api_url}`, and an alias at `{inbox_url}`. */
export const PATHS = {
  mcp: '/mcp/v1',
  mcpAlias: '/api/mcp',
  sandbox: '/api/mcp/public',
  pipe: '/pipe/v1/events',
} as const

export function endpointsOf({ api, inbox }: { api: string; inbox: string }) {
  return {
    mcp: `${api}${PATHS.mcp}`,
    mcpAlias: `${inbox}${PATHS.mcpAlias}`,
    sandbox: `${inbox}${PATHS.sandbox}`,
    pipe: `${api}${PATHS.pipe}`,
  }
}
