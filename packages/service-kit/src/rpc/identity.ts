import { createLocalJWKSet, importJWK, type JSONWebKeySet, type JWK, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { LRUCache } from 'lru-cache'
import { StatusError } from './status-error.ts'
import { type TransportSecurity, transportSecurity } from './transport-security.ts'

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
  /** The service auth gave the principal to. It alone may call others with it. */
  holder: string
  /** The services it is for. */
  audience: string[]
  /** When the person last proved that it is them, in seconds since 1970. Only a browser's session has it; see `requireRecentSignIn`. */
  verifiedAt?: number
}

/** What auth says about a caller. */
export type PrincipalClaims = Omit<Principal, 'kind' | 'holder' | 'audience'>

/** A message that another service reads later, in whose stream others could have put it. */
export type Notice = { signer: string; id: string }

/** Another service, speaking for itself. */
export type ServiceCaller = { kind: 'service'; service: string }

export type Caller = Principal | ServiceCaller

export type Identity = {
  /** How its connections to other services, and theirs to it, are secured. */
  transport: TransportSecurity
  /** This service's name, from its key. */
  service: string
  /** A token by which this service speaks for itself to one other service. */
  serviceToken(audience: string): Promise<string>
  /**
   * A token by which a person is spoken for. Other services believe it only from auth, and only when `holder` brings it to a
   * service that is `VISITED_BY` the holder.
   */
  principalToken(principal: PrincipalClaims, holder: string): Promise<string>
  /**
   * Who makes a call: the service that signed `token` for this one, or the person whose principal it brings.
   * @throws StatusError UNAUTHENTICATED for anything but live tokens that are meant for this service, and for a principal that
   *   was given to another service than the one that brings it
   */
  identify(token: string, principal?: string): Promise<Caller>
  /**
   * The person a service asks about, by the principal it was shown.
   * @throws StatusError UNAUTHENTICATED also when the principal was neither given to `asker` nor meant for it
   */
  verifyShown(principal: string, asker: string): Promise<Principal>
  /** Signs a notice on a NATS subject. It is good for as long as the key is known. */
  signNotice(subject: string, id: string): Promise<string>
  /** @throws StatusError UNAUTHENTICATED unless a known service signed this notice for this subject */
  verifyNotice(token: string, subject: string): Promise<Notice>
}

/** A JSON Web Key that says which service it belongs to. */
type ServiceKey = JWK & { service: string }

const LIFETIME_SEC = 60
const REUSE_MS = 30_000
const PRINCIPAL = 'principal+jwt'
const SERVICE = 'service+jwt'
const NOTICE = 'notice+jwt'
/** The one service whose signature makes a principal. */
const PRINCIPAL_ISSUER = 'auth'
/** The services each holder of a principal calls on behalf of people. Nobody else has any business with one. */
export const VISITED_BY: Readonly<Record<string, readonly string[]>> = {
  gateway: ['care-circle', 'inbox'],
  site: ['auth', 'care-circle', 'inbox', 'pipe', 'sandbox'],
  auth: ['care-circle'],
  ops: ['auth', 'care-circle', 'inbox'],
}

/**
 * Signs and verifies the tokens services show one another: JWTs (RFC 7519) with Ed25519 (RFC 8037), one key a service.
 * Signatures cost more than a database look-up, so both sides remember them: a signed token is reused for half its life,
 * a verified one until it expires. Neither memory decides access: credentials and memberships are looked up at each call.
 * @param tlsDir see `transportSecurity`
 */
export async function createIdentity(privateKey: unknown, publicKeys: unknown, tlsDir?: string): Promise<Identity> {
  const jwk = privateKey as ServiceKey
  const { service } = jwk
  const key = await importJWK(jwk, 'EdDSA')
  const read = tokenReader(publicKeys as JSONWebKeySet)
  const signed = new LRUCache<string, string>({ max: 50_000, ttl: REUSE_MS })
  const verified = new LRUCache<string, Caller>({ max: 50_000 })

  const newToken = (typ: string, subject: string, audience: string | string[], claims: JWTPayload = {}) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'EdDSA', kid: String(jwk.kid), typ })
      .setSubject(subject)
      .setAudience(audience)
      .setIssuedAt()

  async function sign(typ: string, subject: string, audience: string | string[], claims: JWTPayload): Promise<string> {
    const memo = `${typ}\n${subject}\n${audience}\n${JSON.stringify(claims)}`
    const known = signed.get(memo)
    if (known !== undefined) return known
    const token = await newToken(typ, subject, audience, claims).setExpirationTime(`${LIFETIME_SEC}s`).sign(key)
    signed.set(memo, token)
    return token
  }

  async function verify(token: string): Promise<Caller> {
    const known = verified.get(token)
    if (known !== undefined) return known
    const { payload, typ, signer } = await read(token, service, ['exp'])
    const caller = readCaller(payload, typ, signer)
    verified.set(token, caller, { ttl: Math.max(1, Number(payload.exp) * 1000 - Date.now()) })
    return caller
  }

  return {
    transport: transportSecurity(tlsDir),
    service,
    serviceToken: (audience) => sign(SERVICE, service, audience, {}),
    principalToken: ({ personId, workspaceId, credentialId, email, verifiedAt }, holder) =>
      sign(PRINCIPAL, personId, [...(VISITED_BY[holder] ?? [])], {
        azp: holder,
        ws: workspaceId,
        cred: credentialId,
        ...(email === undefined ? {} : { email }),
        ...(verifiedAt === undefined ? {} : { verified: verifiedAt }),
      }),

    async identify(token, principal) {
      const bringer = await verify(token)
      if (bringer.kind !== 'service') throw unidentified()
      if (principal === undefined) return bringer
      const person = await verify(principal)
      if (person.kind !== 'principal' || person.holder !== bringer.service) throw unidentified()
      return person
    },

    async verifyShown(principal, asker) {
      const person = await verify(principal)
      if (person.kind !== 'principal') throw unidentified()
      if (person.holder !== asker && !person.audience.includes(asker)) throw unidentified()
      return person
    },

    signNotice: (subject, id) => newToken(NOTICE, id, subject).sign(key),

    async verifyNotice(token, subject) {
      const { payload, typ, signer } = await read(token, subject)
      if (typ !== NOTICE || signer === undefined) throw unidentified()
      return { signer, id: String(payload.sub) }
    },
  }
}

type Read = { payload: JWTPayload; typ?: string; signer?: string }

/** Reads what any known service has signed for an audience. Every failure is the same one answer. */
function tokenReader(keySet: JSONWebKeySet) {
  const findKey = createLocalJWKSet(keySet)
  const ownerOf = new Map((keySet.keys as ServiceKey[]).map((publicKey) => [publicKey.kid, publicKey.service]))
  return async (token: string, audience: string, also: string[] = []): Promise<Read> => {
    try {
      const options = { audience, requiredClaims: ['sub', ...also], algorithms: ['EdDSA'] }
      const { payload, protectedHeader } = await jwtVerify(token, findKey, options)
      return { payload, typ: protectedHeader.typ, signer: ownerOf.get(protectedHeader.kid ?? '') }
    } catch {
      throw unidentified()
    }
  }
}

function readCaller(payload: JWTPayload, typ: string | undefined, signer: string | undefined): Caller {
  const subject = String(payload.sub)
  if (typ === SERVICE && signer === subject) return { kind: 'service', service: subject }
  if (typ === PRINCIPAL && signer === PRINCIPAL_ISSUER) {
    const { ws, cred, azp, email, verified } = payload as {
      ws: string
      cred: string
      azp: string
      email?: string
      verified?: number
    }
    return {
      kind: 'principal',
      personId: subject,
      workspaceId: ws,
      credentialId: cred,
      holder: azp,
      audience: [payload.aud ?? []].flat(),
      ...(email === undefined ? {} : { email }),
      ...(verified === undefined ? {} : { verifiedAt: verified }),
    }
  }
  throw unidentified()
}

function unidentified(): StatusError {
  return new StatusError('UNAUTHENTICATED', 'The caller could not be identified.')
}
