import { createHash } from 'node:crypto'
import type { ReplyAttachment } from '@family-inbox/proto/inbox/v1/inbox'
import { spendRateLimits } from '@family-inbox/service-kit/mongo/rate-limit'
import { idsBelow, insertOnce } from '@family-inbox/service-kit/mongo/rows'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import {
  ATTACHMENTS_TOO_LARGE,
  MAX_ATTACHMENTS,
  MAX_ATTACHMENTS_BYTES,
} from '@family-inbox/workspace-kit/reply-attachments'
import type { Context } from '../context.ts'
import type { SentFile } from '../models/reply.ts'
import { attachmentIdOf, pieceId, type ReplyFile, replyFileId } from '../models/reply-file.ts'
import { releaseBytes, reserveBytes } from '../storage/storage-use.ts'
import { attachmentName, fileTypeOf } from './file-type.ts'

/** Until the next piece, which a phone without a connection may delay. */
const INCOMPLETE_MS = 15 * 60_000
/** As long as a draft. */
const UNSENT_MS = 90 * DAY_MS
const FILES_PER_HOUR = [{ most: 200, ms: 60 * 60_000 }]

export type FileOwner = { workspaceId: string; personId: string; messageRowId: string }

type Piece = { attachmentId: string; filename: string; index: number; data: Uint8Array; last: boolean }

export const UNSENT = { replyId: null, isRemoved: null } as const

/** Stores a piece of a file, and counts it once. Pieces come in order, so what is stored never has a gap. */
export async function addPiece(ctx: Context, owner: FileOwner, piece: Piece): Promise<ReplyFile> {
  const _id = replyFileId(owner, piece.attachmentId)
  if (piece.index === 0) await beginFile(ctx, _id, owner, piece)
  const file = await ctx.replyFiles.findOne({ _id, messageRowId: owner.messageRowId, ...UNSENT }).lean()
  if (file === null) throw uploadEnded()
  if (file.pieces > piece.index) return file
  if (file.pieces < piece.index || file.isComplete) throw uploadEnded()
  await requireTotalSize(ctx, owner, piece.data.length)
  await reserveBytes(ctx, owner.workspaceId, piece.data.length)
  const stored = { _id: pieceId(_id, piece.index), data: Buffer.from(piece.data) }
  await insertOnce(ctx.replyFilePieces.collection, [await ctx.seal(ctx.replyFilePieces, owner.workspaceId, stored)])
  const counted = await countPiece(ctx, file, piece)
  if (counted !== null) return counted
  await releaseBytes(ctx, owner.workspaceId, piece.data.length)
  const now = await ctx.replyFiles.findById(_id).lean()
  if (now !== null && !now.isRemoved && now.pieces > piece.index) return now
  // Removed in the meantime, perhaps before this piece was stored.
  await ctx.replyFilePieces.deleteOne({ _id: stored._id })
  throw uploadEnded()
}

async function beginFile(ctx: Context, _id: string, owner: FileOwner, piece: Piece): Promise<void> {
  const type = fileTypeOf(piece.data)
  if (type === undefined)
    throw invalidArgument(
      'data',
      'You can send JPEG, PNG, GIF and WebP pictures, and PDFs. This file has another type.',
    )
  if ((await ctx.replyFiles.exists({ _id })) !== null) return
  const { personId, messageRowId } = owner
  if ((await ctx.replyFiles.countDocuments({ messageRowId, personId, ...UNSENT })) >= MAX_ATTACHMENTS)
    throw invalidArgument('attachments', `A reply can have up to ${MAX_ATTACHMENTS} files.`)
  const refusal = 'You’ve added too many files in the last hour.'
  await spendRateLimits(
    ctx.mailLimits,
    [{ _id: `files/${personId}`, windows: FILES_PER_HOUR, refusal }],
    nextHash('', Buffer.from(_id)),
  )
  const file: ReplyFile = {
    _id,
    personId,
    messageRowId,
    filename: attachmentName(piece.filename, type),
    contentType: type.contentType,
    size: 0,
    pieces: 0,
    hash: '',
    isComplete: false,
    createdAt: new Date(),
    expiresAt: new Date(Date.now() + INCOMPLETE_MS),
  }
  await insertOnce(ctx.replyFiles.collection, [await ctx.seal(ctx.replyFiles, owner.workspaceId, file)])
}

function countPiece({ replyFiles }: Context, { _id, hash }: ReplyFile, { index, data, last }: Piece) {
  const expiresAt = new Date(Date.now() + (last ? UNSENT_MS : INCOMPLETE_MS))
  return replyFiles
    .findOneAndUpdate(
      { _id, pieces: index, isComplete: false, ...UNSENT },
      { $inc: { pieces: 1, size: data.length }, $set: { hash: nextHash(hash, data), isComplete: last, expiresAt } },
      { returnDocument: 'after' },
    )
    .lean()
}

function nextHash(previous: string, data: Uint8Array): string {
  return createHash('sha256').update(previous).update(data).digest('hex')
}

/** Sending checks again, exactly: two uploads at the same moment may both pass here. */
async function requireTotalSize({ replyFiles }: Context, { messageRowId, personId }: FileOwner, bytes: number) {
  const files = await replyFiles.find({ messageRowId, personId, ...UNSENT }, { size: 1 }).lean()
  requireSize(files.reduce((sum, { size }) => sum + size, bytes))
}

function requireSize(bytes: number): void {
  if (bytes > MAX_ATTACHMENTS_BYTES) throw invalidArgument('attachments', ATTACHMENTS_TOO_LARGE)
}

function uploadEnded(): StatusError {
  return new StatusError('NOT_FOUND', 'This file was removed. Add it again.', { field: 'attachments' })
}

/** The files of a member's unsent reply, oldest first. */
export async function findDraftFiles(
  { replyFiles }: Context,
  { messageRowId, personId }: Pick<FileOwner, 'messageRowId' | 'personId'>,
): Promise<ReplyAttachment[]> {
  const files = await replyFiles
    .find({ messageRowId, personId, isComplete: true, ...UNSENT })
    .sort({ createdAt: 1 })
    .lean()
  return files.map(toWireFile)
}

export function toWireFile(file: Pick<ReplyFile, '_id' | 'filename' | 'contentType' | 'size'>): ReplyAttachment {
  const { filename, contentType, size } = file
  return { id: attachmentIdOf(file), filename, contentType, size }
}

export function toWireSentFile({ file, ...rest }: SentFile): ReplyAttachment {
  return toWireFile({ _id: file, ...rest })
}

/**
 * The files a member wants to send with a reply to this message, in their order. Those that a reply took already are found,
 * too: the request may be a repeated one.
 * @param sentRowId the message that a new message’s files then belong to
 */
export async function findFilesToSend(
  ctx: Context,
  owner: FileOwner,
  attachmentIds: string[],
  sentRowId = owner.messageRowId,
): Promise<ReplyFile[]> {
  if (attachmentIds.length === 0) return []
  const ids = [...new Set(attachmentIds)].map((id) => replyFileId(owner, id))
  if (ids.length > MAX_ATTACHMENTS)
    throw invalidArgument('attachments', `A reply can have up to ${MAX_ATTACHMENTS} files.`)
  const wanted = {
    _id: { $in: ids },
    messageRowId: { $in: [owner.messageRowId, sentRowId] },
    isComplete: true,
    isRemoved: null,
  }
  const found = await ctx.replyFiles.find(wanted).lean()
  const files = ids.flatMap((id) => found.find(({ _id }) => _id === id) ?? [])
  if (files.length < ids.length) throw fileGone()
  requireSize(files.reduce((sum, { size }) => sum + size, 0))
  return files
}

export function fileGone(): StatusError {
  return invalidArgument('attachments', 'A file is no longer here. Remove it or add it again.')
}

/** Once, and never one that was sent. A crash in between leaves it to the sweep. */
export async function removeFile(ctx: Context, _id: string, only: { expiresAt?: { $lt: Date } } = {}): Promise<void> {
  const marked = { $set: { isRemoved: true, expiresAt: new Date() } }
  const { matchedCount } = await ctx.replyFiles.updateOne({ _id, replyId: null, ...only }, marked)
  if (matchedCount === 0) return
  await ctx.replyFilePieces.deleteMany({ _id: idsBelow(_id) })
  const removed = await ctx.replyFiles.findOneAndDelete({ _id, isRemoved: true }).lean()
  if (removed !== null) await releaseBytes(ctx, workspaceOf(removed), removed.size)
}

export function workspaceOf({ _id }: Pick<ReplyFile, '_id'>): string {
  return _id.slice(0, _id.indexOf('/'))
}

/** The time until an undone reply's files are deleted. */
export function unsentUntil(): Date {
  return new Date(Date.now() + UNSENT_MS)
}
