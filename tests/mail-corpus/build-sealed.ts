import { mail } from './build-mail.ts'

/** Object identifiers in DER: signedData, envelopedData, authEnvelopedData and data. */
const SIGNED = '06092a864886f70d010702'
const ENVELOPED = '06092a864886f70d010703'
const AUTHENTICATED = '060b2a864886f70d0109100117'
const DATA = '06092a864886f70d010701'
const SEQUENCE = 0x30
const SET = 0x31
const OCTETS = 0x04
const CONTEXT_0 = 0xa0

/** One element of DER (X.690). */
export function der(tag: number, ...contents: (Buffer | string)[]): Buffer {
  const content = joined(contents)
  const length = content.length.toString(16)
  const even = length.length % 2 === 0 ? length : `0${length}`
  const head = content.length < 128 ? [content.length] : [0x80 + even.length / 2, ...Buffer.from(even, 'hex')]
  return Buffer.concat([Buffer.from([tag, ...head]), content])
}

/** As BER, with an end instead of a length, as programs write streams. */
export function endless(tag: number, ...contents: (Buffer | string)[]): Buffer {
  return Buffer.concat([Buffer.from([tag, 0x80]), joined(contents), Buffer.from([0, 0])])
}

function joined(contents: (Buffer | string)[]): Buffer {
  return Buffer.concat(contents.map((one) => (typeof one === 'string' ? Buffer.from(one, 'hex') : one)))
}

/** Opaque signed data (RFC 5652 section 5), with a signature that nobody could verify. */
export function signedData(content: Buffer): Buffer {
  const algorithms = der(SET, der(SEQUENCE, '0609608648016503040201'))
  const encapsulated = der(SEQUENCE, DATA, der(CONTEXT_0, der(OCTETS, content)))
  const signers = der(SET, der(SEQUENCE, '020101', der(OCTETS, 'abcd')))
  return der(SEQUENCE, SIGNED, der(CONTEXT_0, der(SEQUENCE, '020101', algorithms, encapsulated, signers)))
}

/** The same as a stream in pieces. */
export function streamedSignedData(content: Buffer, pieceBytes = 50): Buffer {
  const count = Math.ceil(content.length / pieceBytes)
  const pieces = Array.from({ length: count }, (_, index) =>
    der(OCTETS, content.subarray(index * pieceBytes, (index + 1) * pieceBytes)),
  )
  const encapsulated = endless(SEQUENCE, DATA, endless(CONTEXT_0, endless(OCTETS | 0x20, ...pieces)))
  const algorithms = der(SET, der(SEQUENCE, '0609608648016503040201'))
  return endless(SEQUENCE, SIGNED, endless(CONTEXT_0, endless(SEQUENCE, '020101', algorithms, encapsulated)))
}

export function envelopedData(type: 'enveloped' | 'authenticated' = 'enveloped'): Buffer {
  const name = type === 'enveloped' ? ENVELOPED : AUTHENTICATED
  return der(SEQUENCE, name, der(CONTEXT_0, der(SEQUENCE, '020100', der(SET, der(OCTETS, Buffer.alloc(300, 0x5a))))))
}

export function base64Mail(fields: Record<string, string | null>, content: Buffer): Buffer {
  const body = content.toString('base64').replace(/.{76}/g, '$&\r\n')
  return mail({ 'Content-Transfer-Encoding': 'base64', ...fields }, `${body}\r\n`)
}

/** An attribute of winmail.dat (MS-OXTNEF section 2.1.3). */
export function attribute(level: 1 | 2, id: number, data: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUInt8(level)
  head.writeUInt32LE(id, 1)
  head.writeUInt32LE(data.length, 5)
  const checksum = Buffer.alloc(2)
  checksum.writeUInt16LE(data.reduce((sum, byte) => (sum + byte) & 0xffff, 0))
  return Buffer.concat([head, data, checksum])
}

const ATT_BODY = 0x0002800c
const ATT_PROPERTIES = 0x00069003
const ATT_START_OF_FILE = 0x00069002
const ATT_TITLE = 0x00018010
const ATT_DATA = 0x0006800f
const ATT_FILE_PROPERTIES = 0x00069005

export type Property = { id: number; type: number; value: Buffer }

export const bodyOf = (text: string) => attribute(1, ATT_BODY, Buffer.from(`${text}\0`, 'latin1'))
export const propertiesOf = (...list: Property[]) => attribute(1, ATT_PROPERTIES, properties(list))
export const html = (value: Buffer): Property => ({ id: 0x1013, type: 0x102, value })
export const rtf = (value: Buffer): Property => ({ id: 0x1009, type: 0x102, value })
export const unicodeBody = (text: string): Property => ({ id: 0x1000, type: 0x1f, value: utf16(text) })

export function fileOf(name: string, content: Buffer, ...list: Property[]): Buffer {
  return Buffer.concat([
    attribute(2, ATT_START_OF_FILE, Buffer.alloc(14)),
    attribute(2, ATT_TITLE, Buffer.from(`${name}\0`, 'latin1')),
    attribute(2, ATT_DATA, content),
    ...(list.length > 0 ? [attribute(2, ATT_FILE_PROPERTIES, properties(list))] : []),
  ])
}

export const longName = (text: string): Property => ({ id: 0x3707, type: 0x1f, value: utf16(text) })

/** A mail inside of winmail.dat. */
export function messageOf(inner: Buffer): Buffer {
  const value = Buffer.concat([Buffer.from('0703020000000000c000000000000046', 'hex'), inner])
  return Buffer.concat([
    attribute(2, ATT_START_OF_FILE, Buffer.alloc(14)),
    attribute(2, ATT_FILE_PROPERTIES, properties([{ id: 0x3701, type: 0x0d, value }])),
  ])
}

export function tnef(...attributes: Buffer[]): Buffer {
  return Buffer.concat([Buffer.from('789f3e220100', 'hex'), ...attributes])
}

function properties(list: Property[]): Buffer {
  return Buffer.concat([number(list.length), ...list.map(property)])
}

function property({ id, type, value }: Property): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt16LE(type)
  head.writeUInt16LE(id, 2)
  return Buffer.concat([head, number(1), number(value.length), value, Buffer.alloc(-value.length & 3)])
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function utf16(text: string): Buffer {
  return Buffer.from(`${text}\0`, 'utf16le')
}

/** RTF as MS-OXRTFCP stores it: every byte is a literal. */
export function literalRtf(text: string): Buffer {
  const runs = text.match(/[\s\S]{1,8}/g) ?? []
  const content = Buffer.concat(runs.map((run) => Buffer.concat([Buffer.from([0]), Buffer.from(run, 'latin1')])))
  return Buffer.concat([
    number(content.length + 12),
    number(text.length),
    Buffer.from('LZFu'),
    Buffer.alloc(4),
    content,
  ])
}

export function textEntity(text: string): Buffer {
  return Buffer.from(`Content-Type: text/plain; charset=utf-8\r\n\r\n${text}\r\n`)
}
