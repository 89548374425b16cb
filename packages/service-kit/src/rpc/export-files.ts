import type { ExportPiece } from '@family-inbox/proto/export/v1/export'
import { trimOf } from '../text/trim.ts'

const PIECE_BYTES = 256 * 1024

type Rows = Iterable<object> | AsyncIterable<object>

/** A file that is read a part at a time. */
export async function* exportStream(
  path: string,
  parts: AsyncIterable<Uint8Array>,
  modifiedAt?: Date,
): AsyncGenerator<ExportPiece> {
  let beginsFile = path
  for await (const part of parts)
    for (let from = 0; from < part.length; from += PIECE_BYTES, beginsFile = '')
      yield { beginsFile, modifiedAt, data: part.subarray(from, from + PIECE_BYTES) }
}

export function* exportFile(path: string, bytes: Uint8Array, modifiedAt?: Date): Generator<ExportPiece> {
  yield { beginsFile: path, modifiedAt, data: bytes.subarray(0, PIECE_BYTES) }
  for (let from = PIECE_BYTES; from < bytes.length; from += PIECE_BYTES)
    yield { beginsFile: '', modifiedAt: undefined, data: bytes.subarray(from, from + PIECE_BYTES) }
}

export function exportJson(path: string, value: object, modifiedAt?: Date): Generator<ExportPiece> {
  return exportFile(path, Buffer.from(`${JSON.stringify(value, null, 2)}\n`), modifiedAt)
}

/** A file with a JSON list, one row a line. Holds at most one piece in memory. */
export async function* exportRows(path: string, rows: Rows): AsyncGenerator<ExportPiece> {
  yield { beginsFile: path, modifiedAt: undefined, data: Buffer.from('[') }
  let text = ''
  let separator = '\n'
  for await (const row of rows) {
    text += separator + JSON.stringify(row)
    separator = ',\n'
    if (text.length < PIECE_BYTES) continue
    yield nextPiece(text)
    text = ''
  }
  yield nextPiece(`${text}\n]\n`)
}

export async function* toPieces(
  ...files: (Iterable<ExportPiece> | AsyncIterable<ExportPiece>)[]
): AsyncGenerator<{ piece: ExportPiece }> {
  for (const file of files) for await (const piece of file) yield { piece }
}

export async function* withIds<Row extends { _id: string }>(rows: AsyncIterable<Row>): AsyncGenerator<object> {
  for await (const row of rows) yield withId(row)
}

export function withId<Row extends { _id: string }>({ _id, ...row }: Row) {
  return { id: _id, ...row }
}

function nextPiece(text: string): ExportPiece {
  return { beginsFile: '', modifiedAt: undefined, data: Buffer.from(text) }
}

/** A name that is valid on every system and holds no path. */
export function safeFileName(name: string): string {
  const allowed = name.normalize('NFC').replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"/\\|?*]/gu, '_')
  const cleaned = trimOf(allowed, '. ')
  const short = cleaned.length <= 100 ? cleaned : `${cleaned.slice(0, 80)}${cleaned.slice(-20)}`
  return short === '' || /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(short) ? `_${short}` : short.toWellFormed()
}
