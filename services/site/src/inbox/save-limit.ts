import { StatusError } from '@family-inbox/service-kit/rpc/status-error'

/** Allows a save each second from two windows, and one more when each closes. */
const MAX_SAVES = 24
const WINDOW_MS = 10_000

/** Limits the drafts a person saves. Per process, in memory: a save more or less does no harm. */
export function createSaveLimit(now = Date.now) {
  let counts = new Map<string, number>()
  let endsAt = 0
  return {
    /** @throws StatusError RESOURCE_EXHAUSTED */
    spend(personId: string): void {
      if (now() >= endsAt) {
        counts = new Map()
        endsAt = now() + WINDOW_MS
      }
      const count = (counts.get(personId) ?? 0) + 1
      counts.set(personId, count)
      if (count <= MAX_SAVES) return
      const retryAfterSec = Math.ceil((endsAt - now()) / 1000)
      throw new StatusError('RESOURCE_EXHAUSTED', 'Too many saves. Try again in a few seconds.', { retryAfterSec })
    },
  }
}
