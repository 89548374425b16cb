import type { WatchMessagesResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { createFairBudget } from '@family-inbox/service-kit/lifecycle/fair-budget'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import type { WorkspaceHandler } from '../shell/workspace.ts'

/** How long one answer lasts; the browser then asks again, and is asked again who it is. */
const LIFETIME_MS = 5 * 60_000
const RETRY_MS = 5000
/** For a window that had to make way for newer ones. */
const RETRY_LATER_MS = 60_000

/**
 * Tells the page that mail has arrived, as server-sent events, and nothing of what it says: the page then asks for its list
 * again, as its reader. Regular signs of life keep the connection open. It ends as soon as the browser closes it.
 */
export function watchInbox(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    const headers = { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' }
    if (visit.method === 'HEAD') return { headers, body: '' }
    const signal = ctx.live.admit(session, visit.signal)
    if (signal === undefined)
      throw new StatusError('RESOURCE_EXHAUSTED', 'Too many windows are open right now.', { retryAfterSec: 60 })
    const options = { token: session.principal, deadline: Date.now() + LIFETIME_MS, signal }
    return { headers, body: events(ctx.inbox.watchMessages({}, options), signal) }
  }
}

async function* events(arrivals: AsyncIterable<WatchMessagesResponse>, signal: AbortSignal): AsyncGenerator<string> {
  let isListening = false
  yield `retry: ${RETRY_MS}\n\n`
  try {
    for await (const { lovedOneId } of arrivals) {
      if (lovedOneId !== '') yield 'event: mail\ndata: 1\n\n'
      else yield isListening ? ':\n\n' : 'event: listening\ndata: 1\n\n'
      isListening = true
    }
  } catch (error) {
    if (!signal.aborted) throw error
    yield `retry: ${RETRY_LATER_MS}\n\n`
  }
}

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
