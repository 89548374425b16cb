import { createPrivateKey, createPublicKey, hkdfSync, type JsonWebKey, type KeyObject, sign } from 'node:crypto'
import type { ConnectionOptions } from './client.ts'

type ServiceKey = JsonWebKey & { service: string }

const USER = [0xa0]
const USER_SEED = [0x90 | (0xa0 >> 5), (0xa0 << 3) & 0xff]
/** The bytes before the 32 of an Ed25519 private key in PKCS #8. */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The service's NATS nkey seed, derived from its private key. With the key itself, nats-server could have any token signed. */
export function natsSeed(serviceKey: unknown): string {
  return nkey(USER_SEED, seedOf(serviceKey))
}

export function natsUser(serviceKey: unknown): string {
  return nkey(USER, publicKeyOf(signingKey(serviceKey)))
}

/** Login options for a service. Only this user may subscribe to its reply subjects. */
export function natsLogin(serviceKey: unknown): Required<Pick<ConnectionOptions, 'authenticator' | 'inboxPrefix'>> {
  // nkeyAuthenticator computes in JavaScript: 20 to 50 ms of a processor for a connection.
  const key = signingKey(serviceKey)
  const user = nkey(USER, publicKeyOf(key))
  return {
    authenticator: (nonce = '') => ({ nkey: user, sig: sign(null, Buffer.from(nonce), key).toString('base64') }),
    inboxPrefix: natsInbox((serviceKey as ServiceKey).service),
  }
}

export function natsInbox(service: string): string {
  return `_INBOX.${service}`
}

function seedOf(serviceKey: unknown): Buffer {
  const { d = '' } = serviceKey as ServiceKey
  return Buffer.from(hkdfSync('sha256', Buffer.from(d, 'base64url'), '', 'nats nkey', 32))
}

function signingKey(serviceKey: unknown): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8_ED25519, seedOf(serviceKey)]), format: 'der', type: 'pkcs8' })
}

function publicKeyOf(key: KeyObject): Buffer {
  return Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x ?? '', 'base64url')
}

/** The text form of a key: its kind, its bytes and a checksum. */
function nkey(kind: readonly number[], bytes: Buffer): string {
  const payload = Buffer.from([...kind, ...bytes])
  const checksum = Buffer.alloc(2)
  checksum.writeUInt16LE(crc16(payload))
  return base32(Buffer.concat([payload, checksum]))
}

function crc16(bytes: Buffer): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit += 1) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff
  }
  return crc
}

function base32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}
