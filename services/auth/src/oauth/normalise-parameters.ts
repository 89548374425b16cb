import { requestedScopes, SCOPES } from '../scopes.ts'
import { canonicalResource } from './resource.ts'

/**
 * The parameters of an authorization request as oidc-provider needs them: a request that names no scope of ours asks for
 * all that are offered (its own default would be to grant nothing), and resources are written our way.
 */
export function normaliseAuthorization(parameters: URLSearchParams, resources: readonly string[]): URLSearchParams {
  const normal = withCanonicalResources(parameters, resources)
  const scopes = normal.getAll('scope')
  if (scopes.length <= 1 && requestedScopes(scopes[0]).length === 0)
    normal.set('scope', [...(scopes[0] ?? '').split(' '), ...SCOPES].filter((scope) => scope !== '').join(' '))
  return normal
}

/** The parameters of a token request with resources written our way. */
export function withCanonicalResources(parameters: URLSearchParams, resources: readonly string[]): URLSearchParams {
  const normal = new URLSearchParams()
  for (const [name, value] of parameters) {
    if (name !== 'resource') normal.append(name, value)
    else if (value !== '') normal.append(name, canonicalResource(resources, value))
  }
  return normal
}
