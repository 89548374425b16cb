import { StatusError } from '@family-inbox/service-kit/rpc/status-error'

/**
 * Lets so many calls wait at the same time. Whoever comes when it is full is told at once to come back, which costs nothing,
 * instead of waiting until their time is over.
 * @throws StatusError UNAVAILABLE when it is full
 */
export function createWaitingRoom(places: number): <T>(work: () => Promise<T>) => Promise<T> {
  let taken = 0
  return async (work) => {
    if (taken >= places) throw new StatusError('UNAVAILABLE', 'Too many are asking at once. Try again in a moment.')
    taken += 1
    try {
      return await work()
    } finally {
      taken -= 1
    }
  }
}
