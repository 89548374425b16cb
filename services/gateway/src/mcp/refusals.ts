import { OFFERED_SCOPES } from '@family-inbox/workspace-kit/tool-catalogue'
import { type Asked, code, errorEnvelope } from '../json-rpc/envelope.ts'
import type { Answer } from './answer.ts'

export function rateLimited(
  asked: Asked,
  retryAfterSec: number,
  message = `Too many calls. Try again in ${retryAfterSec} seconds.`,
): Answer {
  return {
    status: 429,
    body: errorEnvelope(asked, code.rateLimited, message, { retryAfterSec }),
    headers: { 'retry-after': String(retryAfterSec) },
  }
}

/** The load limit, checked before the credential. */
export function overloaded(asked: Asked): Answer {
  const message = 'The server is busy. Nothing is wrong with your request: try again in one second.'
  return {
    status: 503,
    body: errorEnvelope(asked, code.internalError, message, { retryAfterSec: 1 }),
    headers: { 'retry-after': '1' },
  }
}

/** A JSON-RPC error in a 200: clients discard the body of any other status. */
export function retryLater(asked: Asked): Answer {
  const message = 'The service is not available right now. Nothing is wrong with your request: try again in a moment.'
  return { status: 200, body: errorEnvelope(asked, code.internalError, message) }
}

/** No `error` without a credential (RFC 6750 3.1); no commas or quotes, since clients parse it with regular expressions. */
export function unauthorizedChallenge(metadataUrl: string, credentialSent: boolean): string {
  const error = credentialSent
    ? ', error="invalid_token", error_description="The credential is unknown or no longer valid"'
    : ''
  return `Bearer resource_metadata="${metadataUrl}", scope="${OFFERED_SCOPES.join(' ')}"${error}`
}

/** The challenge of a 403 (RFC 6750 section 3.1). Asks for the scopes held plus the one needed. */
export function insufficientScopeChallenge(metadataUrl: string, held: string[], needed: string): string {
  const scope = OFFERED_SCOPES.filter((offered) => held.includes(offered) || offered === needed).join(' ')
  return `Bearer error="insufficient_scope", scope="${scope}", resource_metadata="${metadataUrl}", error_description="This needs the scope ${needed}"`
}
