import { type Credential, CredentialKind } from '@family-inbox/proto/auth/v1/auth'
import { findSessionCookie } from '@family-inbox/service-kit/http/session-cookie'

/** `none`: no credential was sent. `garbled`: a bearer that cannot be one. `ambiguous`: more than one Authorization header. */
export type FoundCredential = Credential | 'none' | 'garbled' | 'ambiguous'

export type CredentialHeaders = { authorization?: string[]; cookie?: string[]; origin?: string[] }

const TOOL_KEY = /^sk-sand-[0-9A-Za-z]{1,200}$/
/** RFC 6750 section 2.1, `b64token`, within reason. */
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]{1,4000}=*)$/i
/** Meant as a bearer, whatever is wrong with it: the scheme twice, quotes, or a key without its scheme. */
const MEANT_AS_BEARER = /^\W{0,5}(?:bearer\b|sk-sand-)/i

/**
 * Finds the credential of a request. The Authorization header comes before the cookie, so that a bad bearer is refused even
 * beside a good cookie. A token in the query does not count: it would be logged.
 * @param ownOrigin where the cookie counts: a request that carries it must name this origin, as browsers do for their own
 *   pages only; undefined where no cookie counts
 */
export function findCredential(headers: CredentialHeaders, ownOrigin: string | undefined): FoundCredential {
  const { authorization = [] } = headers
  if (authorization.length > 1) return 'ambiguous'
  if (authorization[0] !== undefined) return fromAuthorization(authorization[0])
  if (ownOrigin === undefined || headers.origin?.[0] !== ownOrigin) return 'none'
  const session = findSessionCookie(headers.cookie?.join('; '), ownOrigin)
  return session === undefined ? 'none' : { kind: CredentialKind.SESSION, value: session }
}

function fromAuthorization(authorization: string): FoundCredential {
  const value = BEARER.exec(authorization)?.[1]
  if (value === undefined) return MEANT_AS_BEARER.test(authorization) ? 'garbled' : 'none'
  return { kind: TOOL_KEY.test(value) ? CredentialKind.TOOL_KEY : CredentialKind.ACCESS_TOKEN, value }
}
