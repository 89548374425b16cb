import { OFFERED_SCOPES } from '@family-inbox/workspace-kit/tool-catalogue'
import { code, errorEnvelope } from '../json-rpc/envelope.ts'
import type { Answer } from './answer.ts'

/** Too many calls: 429 with the seconds after which one will be admitted, in the header and in the body. */
export function rateLimited(
  id: string,
  retryAfterSec: number,
  message = `Too many calls. Try again in ${retryAfterSec} seconds.`,
): Answer {
  return {
    status: 429,
    body: errorEnvelope(id, code.rateLimited, message, { retryAfterSec }),
    headers: { 'retry-after': String(retryAfterSec) },
  }
}

/** More calls than can be answered in time: refused before it is looked at whose this one is. */
export function overloaded(id: string): Answer {
  const message = 'Too many calls from everyone at the moment. Nothing is wrong with yours: try again in a second.'
  return {
    status: 503,
    body: errorEnvelope(id, code.internalError, message, { retryAfterSec: 1 }),
    headers: { 'retry-after': '1' },
  }
}

/** A part of the system is down: a JSON-RPC error in a 200, since clients throw the body of anything else away. */
export function retryLater(id: string): Answer {
  const message = 'The service is not available right now. Nothing is wrong with your request: try again in a moment.'
  return { status: 200, body: errorEnvelope(id, code.internalError, message) }
}

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
