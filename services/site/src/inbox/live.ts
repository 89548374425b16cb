import type { WatchMessagesResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { createFairBudget } from '@family-inbox/service-kit/lifecycle/fair-budget'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import type { WorkspaceHandler } from '../shell/workspace.ts'

/** The browser then reconnects, which checks its session again. */
const LIFETIME_MS = 5 * 60_000
const RETRY_MS = 5000
/** For a window that newer ones replaced. */
const RETRY_LATER_MS = 60_000
const MAX_PER_SESSION = 4
/** Per process, shared fairly among workspaces. */
const MAX_LISTENERS = 4000

/** Streams server-sent events that say only that mail has arrived; the page then reloads its list. */
export function watchInbox(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    const headers = { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' }
    if (visit.method === 'HEAD') return { headers, body: '' }
    const signal = ctx.live.admit(session, visit.signal)
    if (signal === undefined)
      throw new StatusError('RESOURCE_EXHAUSTED', 'Too many windows are open. Close some and try again.', {
        retryAfterSec: 60,
      })
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

type Listener = { sessionId: string; workspaceId: string }

export type LiveListeners = {
  /**
   * Counts a listener until `gone` aborts. Stops the session's oldest one when there are too many.
   * @returns a signal that aborts when the listener must stop; undefined when the workspace is at its limit
   */
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
