import { StatusError } from '@family-inbox/service-kit/rpc/status-error'

/**
 * Limits how many calls run at the same time. Calls over the limit fail immediately instead of timing out.
 * @throws StatusError UNAVAILABLE over the limit
 */
export function limitConcurrency(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  return async (work) => {
    if (running >= limit)
      throw new StatusError('UNAVAILABLE', 'Too many requests at the moment. Try again in a moment.')
    running += 1
    try {
      return await work()
    } finally {
      running -= 1
    }
  }
}
