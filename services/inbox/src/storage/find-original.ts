import type { Share } from '@family-inbox/service-kit/lifecycle/fair-budget'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { type Message, messageNotFound, messageRowId } from '../models/message.ts'
import { ORIGINAL_FIELDS } from '../models/original.ts'

const MEMORY_FACTOR = 2
/** Reading a mail takes a fraction of this. */
const WAIT_MS = 1000

export type OriginalRow = Pick<Message, '_id' | 'attachments' | keyof typeof ORIGINAL_FIELDS>

/** NOT_FOUND is the same for another workspace’s id and an unknown one. */
export async function findOriginal(
  { messages, workspaceKeys }: Pick<Context, 'messages' | 'workspaceKeys'>,
  workspaceId: string,
  { messageId, lovedOneId }: { messageId: string; lovedOneId: string },
): Promise<OriginalRow> {
  const _id = messageRowId({ workspaceId, lovedOneId }, messageId)
  // The native driver returns the original's bytes as they are.
  const row = await messages.collection.findOne(
    { _id: _id as never },
    { projection: { ...ORIGINAL_FIELDS, attachments: 1 }, promoteBuffers: true },
  )
  if (row === null) throw messageNotFound()
  return workspaceKeys.open(row as unknown as OriginalRow)
}

/** As `reserveMemory`. Also throws RESOURCE_EXHAUSTED when opening the workspace’s mail took too long. */
export async function reserveMailMemory(
  ctx: Pick<Context, 'mailMemory' | 'mailOpener'>,
  workspaceId: string,
  size: number,
  signal: AbortSignal,
): Promise<Share> {
  const wait = ctx.mailOpener.secondsToWait(workspaceId)
  if (wait > 0) throw tooManyOpen(wait)
  return reserveMemory(ctx, workspaceId, size, signal)
}

/** Waits up to a second for the workspace’s fair share. Throws RESOURCE_EXHAUSTED. */
export async function reserveMemory(
  { mailMemory }: Pick<Context, 'mailMemory'>,
  workspaceId: string,
  size: number,
  signal: AbortSignal,
): Promise<Share> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)])
  const share = await mailMemory.takeWhenFree([workspaceId], MEMORY_FACTOR * size, deadline)
  if (share !== undefined) return share
  throw tooManyOpen(10)
}

function tooManyOpen(retryAfterSec: number): StatusError {
  return new StatusError('RESOURCE_EXHAUSTED', 'Too many files are open right now.', { retryAfterSec })
}
