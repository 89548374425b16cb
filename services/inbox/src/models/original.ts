import { createHash } from 'node:crypto'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import { SEALED } from '@family-inbox/workspace-kit/sealed-rows'
import type { WorkspaceKeys } from '@family-inbox/workspace-kit/workspace-keys'
import type { Connection } from 'mongoose'
import type { Message } from './message.ts'

/** Small originals are stored in the message's row: one durable write instead of two, for nearly all mail. */
const MAX_EMBEDDED_BYTES = 64 * 1024
const PIECE_BYTES = 8 * 1024 * 1024
export const ORIGINAL_FIELDS = { workspaceId: 1, lovedOneId: 1, originalHash: 1, size: 1, original: 1 } as const

/** A piece of a large original: a MongoDB document holds at most 16 MB, and lists should not read attachments. */
export type OriginalPiece = {
  /** `<workspaceId>/<lovedOneId>/<SHA-256 of the whole original>/<piece number>` */
  _id: string
  data: Buffer
  receivedAt: Date
}

const schema = rowSchema<OriginalPiece>(
  'originals',
  { _id: String, data: SEALED, receivedAt: Date },
  { workspaceId: '_id/' },
  { shardKey: { _id: 1 } },
)
schema.index({ receivedAt: 1 })

export function originalModel(connection: Connection) {
  return connection.model('Original', schema)
}

type Owner = Pick<Message, 'workspaceId' | 'lovedOneId'>

export function isEmbedded(raw: Uint8Array): boolean {
  return raw.length <= MAX_EMBEDDED_BYTES
}

export function hashOriginal(raw: Uint8Array): string {
  return createHash('sha256').update(raw).digest('hex')
}

/** Splits a large original into rows. Keys derive from the bytes, so storing it twice is harmless. */
export function toPieces(owner: Owner, hash: string, raw: Buffer, receivedAt: Date): OriginalPiece[] {
  return pieceIds(owner, hash, raw.length).map((_id, index) => ({
    _id,
    data: raw.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES),
    receivedAt,
  }))
}

export function pieceIds({ workspaceId, lovedOneId }: Owner, hash: string, size: number): string[] {
  const count = Math.ceil(size / PIECE_BYTES)
  return Array.from({ length: count }, (_, index) => `${workspaceId}/${lovedOneId}/${hash}/${index}`)
}

type Originals = { originals: ReturnType<typeof originalModel>; workspaceKeys: Pick<WorkspaceKeys, 'open'> }

/** Reads a mail as it arrived, into memory of its own; null if a piece is missing because the mail is being deleted. */
export async function readOriginal(
  { originals, workspaceKeys }: Originals,
  message: Pick<Message, keyof typeof ORIGINAL_FIELDS>,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (message.original !== undefined) return new Uint8Array(message.original)
  const raw = new Uint8Array(message.size)
  let offset = 0
  for (const _id of pieceIds(message, message.originalHash ?? '', message.size)) {
    const piece = await originals.collection.findOne({ _id: _id as never }, { promoteBuffers: true })
    if (piece === null) return null
    const { data } = (await workspaceKeys.open(piece)) as unknown as OriginalPiece
    raw.set(data, offset)
    offset += data.length
  }
  return raw
}
