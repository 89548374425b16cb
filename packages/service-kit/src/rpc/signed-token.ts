import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject, sign, verify } from 'node:crypto'

/** Ed25519 (RFC 8037), the only algorithm we sign with or accept. */
const ALGORITHM = 'EdDSA'
const MAX_LENGTH = 8192

export type Claims = { sub: string; aud: string | string[]; exp?: number } & Record<string, unknown>

export type SignedToken = { kid: string; typ: string; claims: Claims }

export function privateKeyOf(jwk: JsonWebKey): KeyObject {
  return createPrivateKey({ key: jwk, format: 'jwk' })
}

export function publicKeyOf(jwk: JsonWebKey): KeyObject {
  return createPublicKey({ key: jwk, format: 'jwk' })
}

/** A JWT in compact form (RFC 7519, RFC 7515 section 3.1). */
export function signToken({ kid, typ, claims }: SignedToken, key: KeyObject): string {
  const input = `${encode({ alg: ALGORITHM, kid, typ })}.${encode(claims)}`
  return `${input}.${sign(null, Buffer.from(input), key).toString('base64url')}`
}

/** Reads a token without checking its signature. Undefined if it is malformed, or has a header that we never write. */
export function parseToken(token: string): SignedToken | undefined {
  const [header, payload, signature, ...more] = token.length > MAX_LENGTH ? [] : token.split('.')
  if (header === undefined || payload === undefined || signature === undefined || more.length > 0) return undefined
  const { alg, kid, typ, ...others } = decode(header) ?? {}
  const claims = decode(payload)
  const isOurs = alg === ALGORITHM && typeof kid === 'string' && typeof typ === 'string'
  // RFC 7515 section 4.1.11: a token with `crit` is refused by those who do not know the extension.
  if (!isOurs || Object.keys(others).length > 0 || !isClaims(claims)) return undefined
  return { kid, typ, claims }
}

export function isSignedBy(token: string, key: KeyObject): boolean {
  const end = token.lastIndexOf('.')
  return verify(null, Buffer.from(token.slice(0, end)), key, Buffer.from(token.slice(end + 1), 'base64url'))
}

function isClaims(value: Record<string, unknown> | undefined): value is Claims {
  if (value === undefined) return false
  const { sub, aud, exp } = value
  const audiences: unknown[] = [aud].flat()
  return (
    typeof sub === 'string' &&
    audiences.every((audience) => typeof audience === 'string') &&
    (exp === undefined || Number.isFinite(exp))
  )
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function decode(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
