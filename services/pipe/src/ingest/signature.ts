import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'

/** Makes a missing secret take as long as a real one. */
const DUMMY = createSecretKey(randomBytes(32))

/** `sha256=` and 64 hex digits. */
const [PREFIX_LENGTH, SIGNATURE_LENGTH] = [7, 71]

/** `v1,` and the base64 of 32 bytes. */
const WEBHOOK_SIGNATURE_LENGTH = 47

const MAX_WEBHOOK_SIGNATURES = 4

/** The hex HMAC-SHA256 of the body (RFC 2104), in either case. Always compares with two keys in constant time, real or dummy. */
export function isSigned(body: Uint8Array, given: readonly string[], keys: readonly KeyObject[]): boolean {
  const [written = ''] = given
  const signature = `${written.slice(0, PREFIX_LENGTH)}${written.slice(PREFIX_LENGTH).toLowerCase()}`
  const expected = signWithTwo(keys, 'hex', [body]).map((digest) => Buffer.from(`sha256=${digest}`))
  const isMatch = matchesOne([signature], expected, keys.length, SIGNATURE_LENGTH)
  return isMatch && given.length === 1
}

type WebhookHeaders = { ids: readonly string[]; timestamps: readonly string[]; signatures: readonly string[] }

/** Standard Webhooks: the base64 HMAC-SHA256 of `id.timestamp.body`. Versions other than v1 are ignored. */
export function isWebhookSigned(
  body: Uint8Array,
  { ids, timestamps, signatures }: WebhookHeaders,
  keys: readonly KeyObject[],
): boolean {
  const [id = '', timestamp = '', list = ''] = [ids[0], timestamps[0], signatures[0]]
  const expected = signWithTwo(keys, 'base64', [`${id}.${timestamp}.`, body]).map((digest) =>
    Buffer.from(`v1,${digest}`),
  )
  const given = list.split(' ').slice(0, MAX_WEBHOOK_SIGNATURES)
  const isMatch = matchesOne(given, expected, keys.length, WEBHOOK_SIGNATURE_LENGTH)
  return isMatch && [ids, timestamps, signatures].every(({ length }) => length === 1)
}

function signWithTwo(keys: readonly KeyObject[], encoding: 'hex' | 'base64', parts: (string | Uint8Array)[]): string[] {
  return [0, 1].map((slot) => {
    const hmac = createHmac('sha256', keys[slot] ?? DUMMY)
    for (const part of parts) hmac.update(part)
    return hmac.digest(encoding)
  })
}

/** Compares every pair without stopping early. Only the first `live` may match. */
function matchesOne(given: readonly string[], expected: readonly Buffer[], live: number, length: number): boolean {
  let isMatch = false
  for (const signature of given) {
    const bytes = Buffer.from(signature)
    const hasForm = bytes.length === length
    const compared = hasForm ? bytes : Buffer.alloc(length)
    for (const [slot, digest] of expected.entries()) {
      const isEqual = timingSafeEqual(digest, compared)
      isMatch = (isEqual && hasForm && slot < live) || isMatch
    }
  }
  return isMatch
}
