import { OFFERED_SCOPES } from '@family-inbox/tool-catalogue/scopes'

/**
 * The one WWW-Authenticate challenge of a 401 (RFC 6750 section 3, RFC 9728 section 5.1). `error` is left out when no
 * credential was sent (RFC 6750 section 3.1). Clients read it with regular expressions: nothing in it may hold a comma or
 * a quote of its own.
 * @param metadataUrl where the protected-resource metadata of this endpoint is
 */
export function unauthorizedChallenge(metadataUrl: string, credentialSent: boolean): string {
  const error = credentialSent
    ? ', error="invalid_token", error_description="The credential is unknown or no longer valid"'
    : ''
  return `Bearer resource_metadata="${metadataUrl}", scope="${OFFERED_SCOPES.join(' ')}"${error}`
}

/** The challenge of a 403 for a token whose scopes do not reach (RFC 6750 section 3.1). Asks for what is held and what is needed. */
export function insufficientScopeChallenge(metadataUrl: string, held: string[], needed: string): string {
  const scope = OFFERED_SCOPES.filter((offered) => held.includes(offered) || offered === needed).join(' ')
  return `Bearer error="insufficient_scope", scope="${scope}", resource_metadata="${metadataUrl}", error_description="This needs the scope ${needed}"`
}
