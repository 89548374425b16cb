import { randomUUID } from 'node:crypto'

/** Most pages listen a moment after they were read. */
const REMEMBERED_MS = 60_000

/** What this process heard of each workspace in the last minute, so that a page that was just read is not read again. */
export type RecentUpdates = {
  /** Another update of this workspace. */
  heard(workspaceId: string): void
  /** Something may not have been heard: nothing that was read before is known to be up to date. */
  mayHaveMissed(): void
  /** Before a list is read. */
  now(): string
  /** Whether nothing was heard since `asOf`. False for a time that is long ago or that another process gave. */
  isUnchanged(workspaceId: string, asOf: string): boolean
}

/** @param clock milliseconds that never go back */
export function rememberUpdates(clock: () => number = () => performance.now()): RecentUpdates {
  /** The oldest update is first. */
  const lastHeard = new Map<string, number>()
  let unbroken = randomUUID()

  return {
    heard(workspaceId) {
      const now = clock()
      lastHeard.delete(workspaceId)
      lastHeard.set(workspaceId, now)
      for (const [each, at] of lastHeard)
        if (at < now - REMEMBERED_MS) lastHeard.delete(each)
        else break
    },
    mayHaveMissed() {
      unbroken = randomUUID()
    },
    now: () => `${unbroken}/${clock()}`,
    isUnchanged(workspaceId, asOf) {
      const [from, at = ''] = asOf.split('/')
      const since = Number(at)
      return from === unbroken && since > clock() - REMEMBERED_MS && since > (lastHeard.get(workspaceId) ?? 0)
    },
  }
}
