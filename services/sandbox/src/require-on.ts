import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from './context.ts'

/** Sandboxes that are left when it is turned off can still be discarded, and expire. @throws StatusError FAILED_PRECONDITION */
export async function requireOn({ readSwitches }: Pick<Context, 'readSwitches'>): Promise<void> {
  if (!(await readSwitches()).hasSandbox)
    throw new StatusError('FAILED_PRECONDITION', 'This installation has no sandbox.')
}
