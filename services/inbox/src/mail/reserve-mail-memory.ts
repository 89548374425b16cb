import type { Share } from '@family-inbox/service-kit/lifecycle/fair-budget'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'

/** The mail and its decoded content. */
const COPIES = 2
/** Reading a mail takes a fraction of this. */
const WAIT_MS = 1000

/**
 * Reserves memory for a mail, within the workspace's fair share.
 * @param size of the mail in bytes
 * @throws StatusError RESOURCE_EXHAUSTED if there is none for a second
 */
export async function reserveMailMemory(
  { mailMemory }: Pick<Context, 'mailMemory'>,
  workspaceId: string,
  size: number,
  signal: AbortSignal,
): Promise<Share> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)])
  const share = await mailMemory.takeWhenFree([workspaceId], COPIES * size, patience)
  if (share !== undefined) return share
  throw new StatusError('RESOURCE_EXHAUSTED', 'Too many files are open right now.', { retryAfterSec: 10 })
}
