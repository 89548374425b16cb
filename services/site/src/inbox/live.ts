import type { WatchMessagesResponse } from '@family-inbox/proto/inbox/v1/inbox'
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
