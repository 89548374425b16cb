import type { JsonWebKey } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { BaseConfig } from '../config/base-config.ts'
import type { Logger } from '../observability/logger.ts'
import { openTlsFolder } from '../tls/tls-folder.ts'
import { type Claims, isSignedBy, parseToken, privateKeyOf, publicKeyOf, signToken } from './signed-token.ts'
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
  /** The credential’s limit, if it is less than what its person may do. */
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

type ServiceKey = JsonWebKey & { service: string; kid: string }

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

/** The public key of each token that a service of this process signed. With that key, a reader need not verify it. */
const signedHere = new LRUCache<string, string>({ max: MOST_KEPT, ttl: LIFETIME_SEC * 1000 })

/** The identity that a service's settings say. @throws ConfigError when its certificate cannot be used */
export function serviceIdentity(config: BaseConfig, logger: Logger): Promise<Identity> {
  const { serviceKey, serviceKeys, grpcTlsDir: dir, tlsStep } = config
  const tls = dir === undefined ? undefined : openTlsFolder('GRPC_TLS_DIR', dir, logger)
  return createIdentity(serviceKey, serviceKeys, transportSecurity(tls, tlsStep))
}

/** JWTs (RFC 7519) with Ed25519 (RFC 8037). Signatures are cached on both sides; memberships are still checked at each call. */
export async function createIdentity(
  privateKey: unknown,
  publicKeys: unknown,
  transport: TransportSecurity = transportSecurity(),
): Promise<Identity> {
  const jwk = privateKey as ServiceKey
  const { service, kid } = jwk
  const key = privateKeyOf(jwk)
  const read = tokenReader((publicKeys as { keys: ServiceKey[] }).keys)
  const signed = new LRUCache<string, string>({ max: MOST_KEPT, ttl: REUSE_MS })
  const verified = new LRUCache<string, Caller>({ max: MOST_KEPT })

  function sign(typ: string, { sub, aud, ...others }: Claims): string {
    const memo = `${typ}\n${sub}\n${aud}\n${JSON.stringify(others)}`
    const known = signed.get(memo)
    if (known !== undefined) return known
    const iat = nowSec()
    const token = signToken({ kid, typ, claims: { sub, aud, ...others, iat, exp: iat + LIFETIME_SEC } }, key)
    signed.set(memo, token)
    if (jwk.x !== undefined) signedHere.set(token, jwk.x)
    return token
  }

  function verify(token: string): Caller {
    const known = verified.get(token)
    if (known !== undefined) return known
    const { claims, typ, signer } = read(token, service)
    if (claims.exp === undefined) throw unidentified()
    const caller = readCaller(claims, typ, signer)
    verified.set(token, caller, { ttl: Math.max(1, claims.exp * 1000 - Date.now()) })
    return caller
  }

  return {
    transport,
    service,
    serviceToken: async (audience) => sign(SERVICE, { sub: service, aud: audience }),
    principalToken: async ({ personId, workspaceId, credentialId, email, verifiedAt, access }, holder) =>
      sign(PRINCIPAL, {
        sub: personId,
        aud: [...(AUDIENCES_OF[holder] ?? [])],
        azp: holder,
        ws: workspaceId,
        cred: credentialId,
        ...(email === undefined ? {} : { email }),
        ...(verifiedAt === undefined ? {} : { verified: verifiedAt }),
        ...(access === undefined ? {} : { access }),
      }),

    async identify(token, principal) {
      const presenter = verify(token)
      if (presenter.kind !== 'service') throw unidentified()
      if (principal === undefined) return presenter
      const person = verify(principal)
      if (person.kind !== 'principal' || person.holder !== presenter.service) throw unidentified()
      return person
    },

    async verifyPrincipal(principal, asker) {
      const person = verify(principal)
      if (person.kind !== 'principal') throw unidentified()
      if (person.holder !== asker && !person.audience.includes(asker)) throw unidentified()
      return person
    },

    signNotice: async (subject, id) =>
      signToken({ kid, typ: NOTICE, claims: { sub: id, aud: subject, iat: nowSec() } }, key),

    async verifyNotice(token, subject) {
      const { claims, typ, signer } = read(token, subject)
      if (typ !== NOTICE) throw unidentified()
      return { signer, id: claims.sub }
    },
  }
}

type Read = { claims: Claims; typ: string; signer: string }

/** @throws StatusError UNAUTHENTICATED unless a known service signed the token for this audience, and it has not expired */
function tokenReader(keys: readonly ServiceKey[]): (token: string, audience: string) => Read {
  const known = new Map(keys.map((jwk) => [jwk.kid, { ...jwk, key: publicKeyOf(jwk) }]))
  return (token, audience) => {
    const parsed = parseToken(token)
    const signer = parsed && known.get(parsed.kid)
    if (parsed === undefined || signer === undefined) throw unidentified()
    const { claims, typ } = parsed
    const isValid = [claims.aud].flat().includes(audience) && (claims.exp === undefined || claims.exp > nowSec())
    if (!isValid) throw unidentified()
    const signedWith = signedHere.get(token)
    const isSigned = (signedWith !== undefined && signedWith === signer.x) || isSignedBy(token, signer.key)
    if (!isSigned) throw unidentified()
    return { claims, typ, signer: signer.service }
  }
}

function nowSec(): number {
  return Math.floor(Date.now() / 1000)
}

function readCaller({ sub, aud, ...others }: Claims, typ: string, signer: string): Caller {
  if (typ === SERVICE && signer === sub) return { kind: 'service', service: sub }
  if (typ === PRINCIPAL && signer === PRINCIPAL_ISSUER) {
    const { ws, cred, azp, email, verified, access } = others as {
      ws: string
      cred: string
      azp: string
      email?: string
      verified?: number
      access?: LimitedAccess
    }
    return {
      kind: 'principal',
      personId: sub,
      workspaceId: ws,
      credentialId: cred,
      holder: azp,
      audience: [aud].flat(),
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
