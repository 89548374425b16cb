import { trimEndOf } from '@family-inbox/service-kit/text/trim'

/** Resource indicators (RFC 8707). Both accept tokens for either. */
export function mcpResources(urls: { api: string; inbox: string }): [primary: string, alias: string] {
  return [`${urls.api}/mcp/v1`, `${urls.inbox}/api/mcp`]
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
