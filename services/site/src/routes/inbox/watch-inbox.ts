import type { WatchMessagesResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/status-error'
import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'

/** How long one answer lasts; the browser then asks again, and is asked again who it is. */
const LIFETIME_MS = 5 * 60_000
const RETRY_MS = 5000

/**
 * Tells the page that mail has arrived, as server-sent events, and nothing of what it says: the page then asks for its list
 * again, as its reader. Regular signs of life keep the connection open, and show when nobody listens any more.
 */
export function watchInbox(ctx: Context): HouseholdHandler {
  return async (visit, { session }) => {
    const headers = { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' }
    if (visit.method === 'HEAD') return { headers, body: '' }
    const giveBack = ctx.live.take(session.sessionId)
    if (giveBack === undefined)
      throw new StatusError('RESOURCE_EXHAUSTED', 'This inbox is open in many windows.', { retryAfterSec: 60 })
    const arrivals = ctx.inbox.watchMessages({}, { token: session.principal, deadline: Date.now() + LIFETIME_MS })
    return { headers, body: events(arrivals, giveBack) }
  }
}

async function* events(arrivals: AsyncIterable<WatchMessagesResponse>, giveBack: () => void): AsyncGenerator<string> {
  let isListening = false
  try {
    yield `retry: ${RETRY_MS}\n\n`
    for await (const { lovedOneId } of arrivals) {
      if (lovedOneId !== '') yield 'event: mail\ndata: 1\n\n'
      else yield isListening ? ':\n\n' : 'event: listening\ndata: 1\n\n'
      isListening = true
    }
  } finally {
    giveBack()
  }
}
