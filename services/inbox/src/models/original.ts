import { createHash } from 'node:crypto'
import { type Connection, Schema } from 'mongoose'
import type { Message } from './message.ts'

/**
 * A piece of a large mail exactly as it arrived, since MongoDB holds at most 16 MB in one document and a list of messages
 * should not wade through attachments.
 */
export type OriginalPiece = {
  /** `<workspaceId>/<lovedOneId>/<SHA-256 of the whole original>/<number of the piece>` */
  _id: string
  data: Buffer
  /** When the latest mail arrived that it is part of. */
  receivedAt: Date
}

const schema = new Schema<OriginalPiece>(
  { _id: String, data: Schema.Types.Buffer, receivedAt: Date },
  { versionKey: false, collection: 'originals' },
)
schema.index({ receivedAt: 1 })

export function originalModel(connection: Connection) {
  return connection.model('Original', schema)
}

type Owner = Pick<Message, 'workspaceId' | 'lovedOneId'>

/** Up to here an original is part of its message's row: one durable write instead of two, for nearly all mail. */
const MAX_EMBEDDED_BYTES = 64 * 1024
const PIECE_BYTES = 8 * 1024 * 1024

export function isEmbedded(raw: Uint8Array): boolean {
  return raw.length <= MAX_EMBEDDED_BYTES
}

export function hashOriginal(raw: Uint8Array): string {
  return createHash('sha256').update(raw).digest('hex')
}

/** Cuts a large original into the rows it is stored as. Their keys follow from its bytes, so storing it twice stores it once. */
export function toPieces(owner: Owner, hash: string, raw: Buffer, receivedAt: Date): OriginalPiece[] {
  return pieceIds(owner, hash, raw.length).map((_id, index) => ({
    _id,
    data: raw.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES),
    receivedAt,
  }))
}

/** The keys of a large original's pieces in order. */
export function pieceIds({ workspaceId, lovedOneId }: Owner, hash: string, size: number): string[] {
  const count = Math.ceil(size / PIECE_BYTES)
  return Array.from({ length: count }, (_, index) => `${workspaceId}/${lovedOneId}/${hash}/${index}`)
}

/** What of a message's row its original is read with. */
export const ORIGINAL_FIELDS = { workspaceId: 1, lovedOneId: 1, originalHash: 1, size: 1, original: 1 } as const

/**
 * A mail exactly as it arrived, in memory of its own; null when a piece is missing, which means that the mail is being deleted:
 * it is stored before its message.
 */
export async function readOriginal(
  originals: ReturnType<typeof originalModel>,
  message: Pick<Message, keyof typeof ORIGINAL_FIELDS>,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (message.original !== undefined) return new Uint8Array(message.original)
  const raw = new Uint8Array(message.size)
  let offset = 0
  for (const _id of pieceIds(message, message.originalHash ?? '', message.size)) {
    const piece = await originals.collection.findOne({ _id: _id as never }, { promoteBuffers: true })
    if (piece === null) return null
    raw.set(piece.data as Uint8Array, offset)
    offset += (piece.data as Uint8Array).length
  }
  return raw
}
