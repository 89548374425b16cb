import { createFairBudget } from '@family-inbox/service-kit/lifecycle/fair-budget'

/** Windows of one session that listen at once. */
const MAX_PER_SESSION = 4
/** Each is a connection and a stream: what this process holds of both is bounded, and fair to all workspaces. */
const MAX_IN_ALL = 4000

type Listener = { sessionId: string; workspaceId: string }

export type LiveListeners = {
  /**
   * Counts a listener until `gone` aborts. The session's oldest one makes way when there are too many: a page that was left
   * a moment ago must not keep the next one from listening.
   * @returns when to stop listening; undefined when the workspace listens as much as it may
   */
  admit(listener: Listener, gone: AbortSignal): AbortSignal | undefined
}

/** Who listens for new mail, in this process. */
export function createLiveListeners(): LiveListeners {
  const budget = createFairBudget(MAX_IN_ALL)
  const stops = new Map<string, Set<() => void>>()
  return {
    admit({ sessionId, workspaceId }, gone) {
      const own = stops.get(sessionId) ?? new Set()
      if (own.size >= MAX_PER_SESSION) for (const stopOldest of [...own].slice(0, 1)) stopOldest()
      const share = gone.aborted ? undefined : budget.take([workspaceId], 1)
      if (share === undefined) return undefined
      const ended = new AbortController()
      const stop = () => {
        gone.removeEventListener('abort', stop)
        share[Symbol.dispose]()
        own.delete(stop)
        if (own.size === 0) stops.delete(sessionId)
        ended.abort()
      }
      gone.addEventListener('abort', stop)
      stops.set(sessionId, own.add(stop))
      return ended.signal
    },
  }
}
