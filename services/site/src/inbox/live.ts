import type { WatchMessagesResponse, Writing } from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import type { WorkspaceHandler } from '../shell/workspace.ts'
import { createLiveListeners } from './live-listeners.ts'

/** The browser then reconnects, which checks its session again. */
const LIFETIME_MS = 5 * 60_000
const RETRY_MS = 5000
/** For a window that newer ones replaced. */
const RETRY_LATER_MS = 60_000
const MAX_SINCE = 100

/** Streams server-sent events: that mail has arrived, so the page reloads its list, and who is writing a reply. */
export function watchInbox(ctx: Context): WorkspaceHandler {
  const listeners = createLiveListeners()
  return async (visit, { session, nameOf }) => {
    const headers = { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' }
    if (visit.method === 'HEAD') return { headers, body: '' }
    const signal = listeners.admit(session, visit.signal)
    if (signal === undefined)
      throw new StatusError('RESOURCE_EXHAUSTED', 'Too many windows are open. Close some and try again.', {
        retryAfterSec: 60,
      })
    const options = { token: session.principal, deadline: Date.now() + LIFETIME_MS, signal }
    const since = visit.query('since').slice(0, MAX_SINCE)
    return { headers, body: events(ctx.inbox.watchMessages({ since }, options), signal, nameOf) }
  }
}

async function* events(
  updates: AsyncIterable<WatchMessagesResponse>,
  signal: AbortSignal,
  nameOf: ReadonlyMap<string, string>,
): AsyncGenerator<string> {
  let isListening = false
  yield `retry: ${RETRY_MS}\n\n`
  try {
    for await (const update of updates) {
      yield isListening ? toEvent(update, nameOf) : listening(update)
      isListening = true
    }
  } catch (error) {
    if (!signal.aborted) throw error
    yield `retry: ${RETRY_LATER_MS}\n\n`
  }
}

/** The page refreshes what changed while it was loaded. */
function listening({ unchanged }: WatchMessagesResponse): string {
  return `event: listening\ndata: ${unchanged ? 'unchanged' : 'changed'}\n\n`
}

function toEvent({ lovedOneId, writing }: WatchMessagesResponse, nameOf: ReadonlyMap<string, string>): string {
  if (writing) return `event: writing\ndata: ${JSON.stringify(toWriter(writing, nameOf))}\n\n`
  return lovedOneId === '' ? ':\n\n' : 'event: mail\ndata: 1\n\n'
}

function toWriter({ messageId, personId }: Writing, nameOf: ReadonlyMap<string, string>) {
  return { messageId, name: nameOf.get(personId) ?? 'Someone' }
}
