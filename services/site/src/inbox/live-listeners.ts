import { createFairBudget } from '@family-inbox/service-kit/lifecycle/fair-budget'

const MAX_PER_SESSION = 4
/** Per process, shared fairly among workspaces. */
const MAX_LISTENERS = 4000

type Listener = { sessionId: string; workspaceId: string }

export type LiveListeners = {
  /** Counts a listener until `gone` aborts. Its signal says when to stop; undefined when the workspace is at its limit. */
  admit(listener: Listener, gone: AbortSignal): AbortSignal | undefined
}

export function createLiveListeners(): LiveListeners {
  const budget = createFairBudget(MAX_LISTENERS)
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
