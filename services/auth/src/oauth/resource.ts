import { trimEndOf } from '@family-inbox/service-kit/text/trim'

/** The addresses of the tool server, each the resource indicator of its own tokens (RFC 8707). Either accepts both. */
export function mcpResources(urls: { api: string; inbox: string }): [primary: string, alias: string] {
  return [`${urls.api}/mcp/v1`, `${urls.inbox}/api/mcp`]
}

/**
 * The resource a client means: clients write scheme and host in capitals, add the default port or a slash at the end, and
 * oidc-provider compares strings. What names no resource of ours stays as it is, to be refused.
 */
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
