import { trimEndOf } from '@family-inbox/service-kit/text/trim'
import { endpointsOf } from '@family-inbox/workspace-kit/endpoints'

/** Resource indicators (RFC 8707). Both accept tokens for either. */
export function mcpResources(urls: { api: string; inbox: string }): [primary: string, alias: string] {
  const { mcp, mcpAlias } = endpointsOf(urls)
  return [mcp, mcpAlias]
}

/** oidc-provider compares strings, but clients vary case, default port and trailing slash. */
export function canonicalResource(resources: readonly string[], value: string): string {
  const address = comparable(value)
  return resources.find((resource) => comparable(resource) === address) ?? value
}

function comparable(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url === undefined || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    return value
  return `${url.origin}${trimEndOf(url.pathname, '/')}`
}
