import { type Credential, CredentialKind } from '@family-inbox/proto/auth/v1/auth'

/** `none`: no credential was sent. `ambiguous`: more than one Authorization header. */
export type FoundCredential = Credential | 'none' | 'ambiguous'

export type CredentialHeaders = { authorization?: string[]; cookie?: string[]; origin?: string[] }

const TOOL_KEY = /^sk-sand-[0-9A-Za-z]{1,200}$/
/** RFC 6750 section 2.1, `b64token`, within reason. */
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]{1,4000}=*)$/i
const SESSION = /(?:^|; ?)(?:__Host-)?family_session=([A-Za-z0-9._~-]{1,200})(?:;|$)/

/**
 * Finds the credential of a request. The Authorization header comes before the cookie, so that a bad bearer is refused even
 * beside a good cookie. A token in the query does not count: it would be logged.
 * @param ownOrigin where the cookie counts: a request that carries it must name this origin, as browsers do for their own
 *   pages only; undefined where no cookie counts
 */
export function findCredential(headers: CredentialHeaders, ownOrigin: string | undefined): FoundCredential {
  const { authorization = [] } = headers
  if (authorization.length > 1) return 'ambiguous'
  if (authorization[0] !== undefined) return fromBearer(BEARER.exec(authorization[0])?.[1])
  if (ownOrigin === undefined || headers.origin?.[0] !== ownOrigin) return 'none'
  const session = SESSION.exec(headers.cookie?.join('; ') ?? '')?.[1]
  return session === undefined ? 'none' : { kind: CredentialKind.SESSION, value: session }
}

function fromBearer(value: string | undefined): FoundCredential {
  if (value === undefined) return 'none'
  return { kind: TOOL_KEY.test(value) ? CredentialKind.TOOL_KEY : CredentialKind.ACCESS_TOKEN, value }
}
