import { hkdfSync, type JsonWebKey } from 'node:crypto'
import { type ConnectionOptions, nkeyAuthenticator, nkeys } from 'nats'

type ServiceKey = JsonWebKey & { service: string }

const USER_SEED = [0x90 | (0xa0 >> 5), (0xa0 << 3) & 0xff]
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The service's NATS nkey seed, derived from its private key. With the key itself, nats-server could have any token signed. */
export function natsSeed(serviceKey: unknown): string {
  const { d = '' } = serviceKey as ServiceKey
  const seed = hkdfSync('sha256', Buffer.from(d, 'base64url'), '', 'nats nkey', 32)
  const payload = Buffer.from([...USER_SEED, ...Buffer.from(seed)])
  const checksum = Buffer.alloc(2)
  checksum.writeUInt16LE(crc16(payload))
  return base32(Buffer.concat([payload, checksum]))
}

export function natsUser(serviceKey: unknown): string {
  return nkeys.fromSeed(Buffer.from(natsSeed(serviceKey))).getPublicKey()
}

/** Login options for a service. Only this user may subscribe to its reply subjects. */
export function natsLogin(serviceKey: unknown): Pick<ConnectionOptions, 'authenticator' | 'inboxPrefix'> {
  return {
    authenticator: nkeyAuthenticator(Buffer.from(natsSeed(serviceKey))),
    inboxPrefix: natsInbox((serviceKey as ServiceKey).service),
  }
}

export function natsInbox(service: string): string {
  return `_INBOX.${service}`
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
