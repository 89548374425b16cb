import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto'
import { mongo } from 'mongoose'

/**
 * A stored value that only its key opens: a mark, what kind of value it is, the id of the key, then AES-256-GCM (NIST SP 800-38D).
 * Rows are typed as they are read, with such values open.
 */
export type ValueKey = {
  /** 9 bytes, as base64url. */
  id: string
  /** Of 32 bytes. Node.js needs four times as long with the bytes themselves. */
  key: KeyObject
}

const ALGORITHM = 'aes-256-gcm'
const MARK = Buffer.from('\0sealed')
const [ID_BYTES, IV_BYTES, TAG_BYTES] = [9, 12, 16]
const ID_AT = MARK.length + 1
const IV_AT = ID_AT + ID_BYTES
const TEXT_AT = IV_AT + IV_BYTES

const KIND = { bytes: 0, text: 1, object: 2 } as const

export function newKeyId(): string {
  return randomBytes(ID_BYTES).toString('base64url')
}

/** Nothing to hide in an absent value or an empty text: they stay as they are. */
export function sealValue<T>({ id, key }: ValueKey, value: T): T {
  if (value === undefined || value === null || value === '') return value
  const [kind, plain] = toBytes(value)
  const head = Buffer.concat([MARK, Buffer.of(kind), Buffer.from(id, 'base64url'), randomBytes(IV_BYTES)])
  const cipher = createCipheriv(ALGORITHM, key, head.subarray(IV_AT)).setAAD(head)
  return Buffer.concat([head, cipher.update(plain), cipher.final(), cipher.getAuthTag()]) as T
}

function toBytes(value: unknown): [kind: number, bytes: Uint8Array] {
  if (typeof value === 'string') return [KIND.text, Buffer.from(value)]
  if (value instanceof Uint8Array) return [KIND.bytes, value]
  return [KIND.object, mongo.BSON.serialize({ value })]
}

/** The bytes of a sealed value, however MongoDB's driver returned them; undefined for any other value. */
export function sealedBytes(value: unknown): Buffer | undefined {
  const bytes = bytesOf(value)
  const isSealed =
    bytes !== undefined && bytes.length >= TEXT_AT + TAG_BYTES && MARK.equals(bytes.subarray(0, MARK.length))
  return isSealed ? bytes : undefined
}

function bytesOf(value: unknown): Buffer | undefined {
  const bytes = value instanceof mongo.Binary ? value.buffer.subarray(0, value.position) : value
  return bytes instanceof Uint8Array ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) : undefined
}

export function keyIdOf(sealed: Buffer): string {
  return sealed.toString('base64url', ID_AT, IV_AT)
}

/** @throws when it was changed */
export function openValue(key: KeyObject, sealed: Buffer): unknown {
  const head = sealed.subarray(0, TEXT_AT)
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(IV_AT, TEXT_AT), { authTagLength: TAG_BYTES })
  decipher.setAAD(head).setAuthTag(sealed.subarray(-TAG_BYTES))
  const plain = Buffer.concat([decipher.update(sealed.subarray(TEXT_AT, -TAG_BYTES)), decipher.final()])
  if (head[MARK.length] === KIND.text) return plain.toString()
  return head[MARK.length] === KIND.bytes ? plain : mongo.BSON.deserialize(plain).value
}

/** What is left of a value whose key was destroyed. */
export function emptyValue(sealed: Buffer): unknown {
  return sealed[MARK.length] === KIND.text ? '' : undefined
}

export type Place = { holder: Record<string, unknown>; name: string; sealed: Buffer }

/** Where rows have sealed values, at any depth. */
export function sealedPlaces(rows: unknown, found: Place[] = []): Place[] {
  if (!isPlain(rows)) return found
  for (const [name, value] of Object.entries(rows)) {
    if (typeof value !== 'object' || value === null) continue
    const sealed = sealedBytes(value)
    if (sealed === undefined) sealedPlaces(value, found)
    else found.push({ holder: rows, name, sealed })
  }
  return found
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (Array.isArray(value)) return true
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

const BLOCK_BYTES = 16

/**
 * Keyed forms of up to four letters each, to look up what begins with them: each fills one block of AES, so all are enciphered at once.
 * The same letters always give the same form. @returns 8 characters each
 */
export function sealPrefixes(key: KeyObject, prefixes: readonly string[]): string[] {
  const blocks = Buffer.alloc(prefixes.length * BLOCK_BYTES)
  for (const [index, prefix] of prefixes.entries()) blocks.write(prefix, index * BLOCK_BYTES, BLOCK_BYTES)
  const sealed = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false).update(blocks)
  return prefixes.map((_, index) => sealed.toString('base64url', index * BLOCK_BYTES, index * BLOCK_BYTES + 6))
}
