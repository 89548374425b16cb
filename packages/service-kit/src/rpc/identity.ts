import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  importJWK,
  type JSONWebKeySet,
  type JWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose'
import { LRUCache } from 'lru-cache'
import { StatusError } from './status-error.ts'
import { type TransportSecurity, transportSecurity } from './transport-security.ts'

/** A person a call is made for, vouched for by auth less than a minute ago. */
export type Principal = {
  kind: 'principal'
  personId: string
  workspaceId: string
  credentialId: string
  email?: string
  /** The service auth issued the principal to. Only this one may present it. */
  holder: string
  audience: string[]
  verifiedAt?: number
  /** What a credential may do, if that is less than what its person may. */
  access?: LimitedAccess
}

export type LimitedAccess = 'read' | 'approval'

export type PrincipalClaims = Omit<Principal, 'kind' | 'holder' | 'audience'>

/** A signed NATS message. Others could have put it into the stream, so its signature is verified. */
export type Notice = { signer: string; id: string }

export type ServiceCaller = { kind: 'service'; service: string }

export type Caller = Principal | ServiceCaller

export type Identity = {
  transport: TransportSecurity
  service: string
  serviceToken(audience: string): Promise<string>
  /** A token for a person. It works only if `holder` presents it to a service in `AUDIENCES_OF[holder]`. */
  principalToken(principal: PrincipalClaims, holder: string): Promise<string>
  /** The service that signed `token`, or the person of the principal it presents. @throws StatusError UNAUTHENTICATED */
  identify(token: string, principal?: string): Promise<Caller>
  /** @throws StatusError UNAUTHENTICATED also when the principal was neither issued to `asker` nor meant for it */
  verifyPrincipal(principal: string, asker: string): Promise<Principal>
  signNotice(subject: string, id: string): Promise<string>
  /** @throws StatusError UNAUTHENTICATED unless a known service signed this notice for this subject */
  verifyNotice(token: string, subject: string): Promise<Notice>
}

type ServiceKey = JWK & { service: string }

const LIFETIME_SEC = 60
const REUSE_MS = 30_000
const PRINCIPAL = 'principal+jwt'
const SERVICE = 'service+jwt'
const NOTICE = 'notice+jwt'
const PRINCIPAL_ISSUER = 'auth'
/** The services each holder may call for a person. */
export const AUDIENCES_OF: Readonly<Record<string, readonly string[]>> = {
  gateway: ['care-circle', 'inbox'],
  site: ['auth', 'care-circle', 'inbox', 'pipe', 'sandbox'],
  auth: ['care-circle'],
  ops: ['auth', 'care-circle', 'inbox'],
}

/** Memory is set aside for all of them: 35 bytes each, in three caches of each service. */
const MOST_KEPT = 10_000

/** The public key of each token that a service of this process signed. Such a signature need not be verified again. */
const signedHere = new LRUCache<string, string>({ max: MOST_KEPT, ttl: LIFETIME_SEC * 1000 })

/** JWTs (RFC 7519) with Ed25519 (RFC 8037). Signatures are cached on both sides; memberships are still checked at each call. */
export async function createIdentity(privateKey: unknown, publicKeys: unknown, tlsDir?: string): Promise<Identity> {
  const jwk = privateKey as ServiceKey
  const { service } = jwk
  const key = await importJWK(jwk, 'EdDSA')
  const read = tokenReader(publicKeys as JSONWebKeySet)
  const signed = new LRUCache<string, string>({ max: MOST_KEPT, ttl: REUSE_MS })
  const verified = new LRUCache<string, Caller>({ max: MOST_KEPT })

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
    if (jwk.x !== undefined) signedHere.set(token, jwk.x)
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
    principalToken: ({ personId, workspaceId, credentialId, email, verifiedAt, access }, holder) =>
      sign(PRINCIPAL, personId, [...(AUDIENCES_OF[holder] ?? [])], {
        azp: holder,
        ws: workspaceId,
        cred: credentialId,
        ...(email === undefined ? {} : { email }),
        ...(verifiedAt === undefined ? {} : { verified: verifiedAt }),
        ...(access === undefined ? {} : { access }),
      }),

    async identify(token, principal) {
      const presenter = await verify(token)
      if (presenter.kind !== 'service') throw unidentified()
      if (principal === undefined) return presenter
      const person = await verify(principal)
      if (person.kind !== 'principal' || person.holder !== presenter.service) throw unidentified()
      return person
    },

    async verifyPrincipal(principal, asker) {
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

function tokenReader({ keys }: JSONWebKeySet) {
  const findKey = createLocalJWKSet({ keys })
  const publicKeyOf = new Map((keys as ServiceKey[]).map((publicKey) => [publicKey.kid, publicKey]))
  return async (token: string, audience: string, also: string[] = []): Promise<Read> => {
    const known = readSignedHere(token, audience, publicKeyOf)
    if (known !== undefined) return known
    try {
      const options = { audience, requiredClaims: ['sub', ...also], algorithms: ['EdDSA'] }
      const { payload, protectedHeader } = await jwtVerify(token, findKey, options)
      return { payload, typ: protectedHeader.typ, signer: publicKeyOf.get(protectedHeader.kid ?? '')?.service }
    } catch {
      throw unidentified()
    }
  }
}

/** Undefined unless this process signed the token with the key its reader knows, for this audience, and it has not expired. */
function readSignedHere(
  token: string,
  audience: string,
  publicKeyOf: ReadonlyMap<string | undefined, ServiceKey>,
): Read | undefined {
  const signedWith = signedHere.get(token)
  if (signedWith === undefined) return undefined
  const { kid = '', typ } = decodeProtectedHeader(token)
  const payload = decodeJwt(token)
  const publicKey = publicKeyOf.get(kid)
  const isMeantForReader = [payload.aud ?? []].flat().includes(audience) && Number(payload.exp) * 1000 > Date.now()
  return publicKey?.x === signedWith && isMeantForReader ? { payload, typ, signer: publicKey.service } : undefined
}

function readCaller(payload: JWTPayload, typ: string | undefined, signer: string | undefined): Caller {
  const subject = String(payload.sub)
  if (typ === SERVICE && signer === subject) return { kind: 'service', service: subject }
  if (typ === PRINCIPAL && signer === PRINCIPAL_ISSUER) {
    const { ws, cred, azp, email, verified, access } = payload as {
      ws: string
      cred: string
      azp: string
      email?: string
      verified?: number
      access?: LimitedAccess
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
      ...(access === undefined ? {} : { access }),
    }
  }
  throw unidentified()
}

function unidentified(): StatusError {
  return new StatusError('UNAUTHENTICATED', 'The caller could not be identified.')
}
