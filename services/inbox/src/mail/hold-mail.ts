import type { Share } from '@family-inbox/service-kit/lifecycle/fair-budget'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'

/** The mail and what is decoded of it. */
const COPIES = 2
/** A mail is read in a fraction of this, and the next one then has room. */
const WAIT_MS = 1000

/**
 * Reserves memory for a mail of the workspace that is read to be shown or downloaded, in the workspace's fair share.
 * @param size of the mail in bytes
 * @throws StatusError RESOURCE_EXHAUSTED after a second without room
 */
export async function holdMail(
  { mailMemory }: Pick<Context, 'mailMemory'>,
  workspaceId: string,
  size: number,
  signal: AbortSignal,
): Promise<Share> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)])
  const share = await mailMemory.takeWhenFree([workspaceId], COPIES * size, patience)
  if (share !== undefined) return share
  throw new StatusError('RESOURCE_EXHAUSTED', 'Many files are being downloaded just now.', { retryAfterSec: 10 })
}
