import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Config } from './config.ts'

/** Sandboxes that are left when it is turned off can still be discarded, and expire. @throws StatusError FAILED_PRECONDITION */
export function requireOn({ config }: { config: Pick<Config, 'isOn'> }): void {
  if (!config.isOn) throw new StatusError('FAILED_PRECONDITION', 'This installation has no sandbox.')
}
