import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import { SEALED, sealedModel } from '@family-inbox/workspace-kit/sealed-rows'
import type { WorkspaceKeys } from '@family-inbox/workspace-kit/workspace-keys'
import type { Connection } from 'mongoose'

/** A file that a member adds to a reply: without `replyId` it belongs to their draft. */
export type ReplyFile = {
  /** `<workspaceId>/<personId>/<attachment id>`, so an id of another person or workspace is never found. */
  _id: string
  personId: string
  messageRowId: string
  filename: string
  contentType: string
  size: number
  /** Stored so far. */
  pieces: number
  /** SHA-256 over the previous value and the latest piece, hex. */
  hash: string
  isComplete: boolean
  createdAt: Date
  /** When it is deleted. Absent once it was sent. */
  expiresAt?: Date
  replyId?: string
  /** Its pieces are being deleted. */
  isRemoved?: boolean
}

export type ReplyFilePiece = {
  /** `<id of the file>/<number>` */
  _id: string
  data: Buffer
}

type FileOwner = { workspaceId: string; personId: string }

const schema = rowSchema<ReplyFile>(
  'reply_files',
  {
    _id: String,
    personId: String,
    messageRowId: String,
    filename: SEALED,
    contentType: String,
    size: Number,
    pieces: Number,
    hash: String,
    isComplete: Boolean,
    createdAt: Date,
    expiresAt: Date,
    replyId: String,
    isRemoved: Boolean,
  },
  { workspaceId: '_id/', personId: 'apart', messageRowId: 'apart' },
  { shardKey: { _id: 1 } },
)
schema.index({ messageRowId: 1, personId: 1 })
schema.index({ personId: 1 })
schema.index({ expiresAt: 1 }, { sparse: true })

export function replyFileModel(connection: Connection, keys: WorkspaceKeys) {
  return sealedModel(connection, 'ReplyFile', schema, keys)
}

const pieceSchema = rowSchema<ReplyFilePiece>(
  'reply_file_pieces',
  { _id: String, data: SEALED },
  { workspaceId: '_id/', messageRowId: 'apart' },
  { shardKey: { _id: 1 } },
)

export function replyFilePieceModel(connection: Connection) {
  return connection.model('ReplyFilePiece', pieceSchema)
}

export function replyFileId({ workspaceId, personId }: FileOwner, attachmentId: string): string {
  return `${workspaceId}/${personId}/${attachmentId}`
}

export function attachmentIdOf({ _id }: Pick<ReplyFile, '_id'>): string {
  return _id.slice(_id.lastIndexOf('/') + 1)
}

export function pieceId(fileId: string, index: number): string {
  return `${fileId}/${index}`
}

type Pieces = { replyFilePieces: ReturnType<typeof replyFilePieceModel>; workspaceKeys: Pick<WorkspaceKeys, 'open'> }

export async function* readPieces(
  { replyFilePieces, workspaceKeys }: Pieces,
  { _id, size }: Pick<ReplyFile, '_id' | 'size'>,
): AsyncGenerator<Buffer> {
  for (let index = 0, read = 0; read < size; index += 1) {
    const piece = await replyFilePieces.collection.findOne(
      { _id: pieceId(_id, index) as never },
      { promoteBuffers: true },
    )
    if (piece === null) throw new Error('a piece of a file is missing')
    const { data } = (await workspaceKeys.open(piece)) as unknown as ReplyFilePiece
    read += data.length
    yield data
  }
}
