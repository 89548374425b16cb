import type { Page } from '../layout/page.ts'
import type { NoticeName } from '../notices.ts'
import type { Cookie } from './cookies.ts'

/** What a handler answers with; `send-reply.ts` alone turns it into HTTP. */
export type Reply = PageReply | RedirectReply | BodyReply

export type PageReply = { page: Page; status?: number; cookies?: Cookie[]; retryAfterSec?: number }

/** Where the browser goes next, by GET (303, RFC 9110 section 15.4.4), and what the page there says about what was done. */
export type RedirectReply = { redirectTo: string; notice?: NoticeName; cookies?: Cookie[] }

/** What is no page of ours: a file, a stream of events, the markup of a mail. Its headers say what it is and may do. */
export type BodyReply = {
  headers: Record<string, string>
  /** A stream ends early when its reader goes away, and is not begun for HEAD. */
  body: string | AsyncIterable<string | Uint8Array>
  cookies?: Cookie[]
}
