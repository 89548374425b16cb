import { type Credential, CredentialKind } from '@family-inbox/proto/auth/v1/auth'
import { findSessionCookie } from '@family-inbox/service-kit/http/session-cookie'

const TOOL_KEY = /^sk-sand-[0-9A-Za-z]{1,200}$/
/** RFC 6750 section 2.1, `b64token`, with a length limit. */
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]{1,4000}=*)$/i
/** Meant as a bearer but broken: the scheme twice, quotes, or a key without its scheme. */
const MEANT_AS_BEARER = /^\W{0,5}(?:bearer\b|sk-sand-)/i

/** `malformed`: meant as a bearer but unreadable. `ambiguous`: several Authorization headers. */
type FoundCredential = Credential | 'none' | 'malformed' | 'ambiguous'

type CredentialHeaders = { authorization?: string[]; cookie?: string[]; origin?: string[] }

/** Authorization wins over the cookie. Tokens in the query are ignored: they would be logged. */
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
  if (value === undefined) return MEANT_AS_BEARER.test(authorization) ? 'malformed' : 'none'
  return { kind: TOOL_KEY.test(value) ? CredentialKind.TOOL_KEY : CredentialKind.ACCESS_TOKEN, value }
}
