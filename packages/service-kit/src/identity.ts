import { createLocalJWKSet, importJWK, type JSONWebKeySet, type JWK, jwtVerify, SignJWT } from 'jose'
import { LRUCache } from 'lru-cache'
import { type TransportSecurity, transportSecurity } from './rpc/transport-security.ts'
import { StatusError } from './status-error.ts'

/** A person on whose behalf a call is made, as auth vouched for them less than a minute ago. */
export type Principal = {
  kind: 'principal'
  personId: string
  /** Empty when bound to no household. */
  workspaceId: string
  /** The key, session or grant the call came with. */
  credentialId: string
  /** Set only when the person has just proved it. */
  email?: string
  /** When the person last proved that it is them, in seconds since 1970. Only a browser's session has it; see `requireRecentSignIn`. */
  verifiedAt?: number
}

/** Another service, speaking for itself. */
export type ServiceCaller = { kind: 'service'; service: string }

export type Caller = Principal | ServiceCaller

export type Identity = {
  /** How its connections to other services, and theirs to it, are secured. */
  transport: TransportSecurity
  /** This service's name, from its key. */
  service: string
  /** A token by which this service speaks for itself. */
  serviceToken(): Promise<string>
  /** A token by which a person is spoken for. Other services believe it only from auth. */
  principalToken(principal: Omit<Principal, 'kind'>): Promise<string>
  /** @throws StatusError UNAUTHENTICATED for anything but a live token signed by a service that may sign it */
  verify(token: string): Promise<Caller>
}

/** A JSON Web Key that says which service it belongs to. */
type ServiceKey = JWK & { service: string }

const LIFETIME_SEC = 60
const REUSE_MS = 30_000
const AUDIENCE = 'family-inbox'
const PRINCIPAL = 'principal+jwt'
const SERVICE = 'service+jwt'
/** The one service whose signature makes a principal. */
const PRINCIPAL_ISSUER = 'auth'

/**
 * Signs and verifies the tokens services show one another: JWTs (RFC 7519) with Ed25519 (RFC 8037), one key a service.
 * Signatures cost more than a database look-up, so both sides remember them: a signed token is reused for half its life,
 * a verified one until it expires. Neither memory decides access: credentials and memberships are looked up at each call.
 * @param tlsDir see `transportSecurity`
 */
export async function createIdentity(privateKey: unknown, publicKeys: unknown, tlsDir?: string): Promise<Identity> {
  const jwk = privateKey as ServiceKey
  const keySet = publicKeys as JSONWebKeySet
  const key = await importJWK(jwk, 'EdDSA')
  const findKey = createLocalJWKSet(keySet)
  const ownerOf = new Map((keySet.keys as ServiceKey[]).map((publicKey) => [publicKey.kid, publicKey.service]))
  const signed = new LRUCache<string, string>({ max: 50_000, ttl: REUSE_MS })
  const verified = new LRUCache<string, Caller>({ max: 50_000 })

  async function sign(typ: string, subject: string, claims: Record<string, string | number>): Promise<string> {
    const memo = `${typ}\n${subject}\n${JSON.stringify(claims)}`
    const known = signed.get(memo)
    if (known !== undefined) return known
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'EdDSA', kid: String(jwk.kid), typ })
      .setSubject(subject)
      .setAudience(AUDIENCE)
      .setIssuedAt()
      .setExpirationTime(`${LIFETIME_SEC}s`)
      .sign(key)
    signed.set(memo, token)
    return token
  }

  return {
    transport: transportSecurity(tlsDir),
    service: jwk.service,
    serviceToken: () => sign(SERVICE, jwk.service, {}),
    principalToken: ({ personId, workspaceId, credentialId, email, verifiedAt }) =>
      sign(PRINCIPAL, personId, {
        ws: workspaceId,
        cred: credentialId,
        ...(email === undefined ? {} : { email }),
        ...(verifiedAt === undefined ? {} : { verified: verifiedAt }),
      }),

    async verify(token) {
      const known = verified.get(token)
      if (known !== undefined) return known
      try {
        const { payload, protectedHeader } = await jwtVerify(token, findKey, {
          audience: AUDIENCE,
          requiredClaims: ['sub', 'exp'],
        })
        const caller = readCaller(payload, protectedHeader.typ, ownerOf.get(protectedHeader.kid ?? ''))
        verified.set(token, caller, { ttl: Math.max(1, Number(payload.exp) * 1000 - Date.now()) })
        return caller
      } catch {
        throw new StatusError('UNAUTHENTICATED', 'The caller could not be identified.')
      }
    },
  }
}

function readCaller(payload: Record<string, unknown>, typ: string | undefined, signer: string | undefined): Caller {
  const subject = String(payload.sub)
  if (typ === SERVICE && signer === subject) return { kind: 'service', service: subject }
  if (typ === PRINCIPAL && signer === PRINCIPAL_ISSUER) {
    const { ws, cred, email, verified } = payload as { ws: string; cred: string; email?: string; verified?: number }
    return {
      kind: 'principal',
      personId: subject,
      workspaceId: ws,
      credentialId: cred,
      ...(email === undefined ? {} : { email }),
      ...(verified === undefined ? {} : { verifiedAt: verified }),
    }
  }
  throw new Error('signed by a service that may not sign this')
}
