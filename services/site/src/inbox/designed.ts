import { type Status, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { type Html, html, trustedHtml } from '../shell/html.ts'
import { asPerson } from '../shell/session.ts'
import type { WorkspaceHandler } from '../shell/workspace.ts'
import { messageMissing } from './message.ts'
import { undefinedIfMissing } from './read-message.ts'

/** Nothing runs, nothing is fetched, nothing is sent, and only a page of ours may show it: whatever the markup still holds. */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox",
  'X-Frame-Options': 'SAMEORIGIN',
  'Referrer-Policy': 'no-referrer',
}

/** Answers with a message's own markup, made safe by inbox, for the frame on its page. */
export function showDesigned(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const lovedOneId = visit.param('lovedOneId').slice(0, 128)
    const messageId = visit.param('messageId').slice(0, 128)
    const rendered = await ctx.inbox
      .renderMessage({ lovedOneId, messageId }, asPerson(workspace.session, visit))
      .catch(explainIfUnfit)
      .catch(undefinedIfMissing)
    if (rendered === undefined) return messageMissing(workspace)
    return { headers: HEADERS, body: designedDocument(rendered.html).text }
  }
}

/** In a frame there is no room for a page of ours: what cannot be shown is said in its place. */
function explainIfUnfit(error: unknown): { html: string } {
  const reason = error instanceof StatusError ? REASONS[error.status] : undefined
  if (reason === undefined) throw error
  return { html: html`<p>${reason} The text of the message says the same.</p>`.text }
}

const REASONS: Partial<Record<Status, string>> = {
  FAILED_PRECONDITION: 'This message is too large or too odd to be shown as it was designed.',
  UNAVAILABLE: 'This takes a moment. Close this and open it again.',
  DEADLINE_EXCEEDED: 'This takes a moment. Close this and open it again.',
}

/**
 * The document of a mail's own markup, for a sandboxed frame.
 * @param markup made safe by inbox; what it may do is decided by the headers it is sent with
 */
function designedDocument(markup: string): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>The message as it was designed</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body { margin: 0; padding: 16px; background: #fff; color: #1d2327; font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere } img { max-width: 100%; height: auto } table { max-width: 100% }</style>
</head>
<body>${markup === '' ? html`<p>This message has no design of its own.</p>` : trustedHtml(markup)}</body>
</html>
`
}
