import { type Status, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { type Html, html, trustedHtml } from '../shell/html.ts'
import { messageIdsOf } from '../shell/inbox-paths.ts'
import { asPerson } from '../shell/session.ts'
import { undefinedIfMissing, type WorkspaceHandler } from '../shell/workspace.ts'
import { messageMissing } from './read-message.ts'

/** Blocks scripts, requests, and forms, even if sanitizing missed something. Only our own pages may frame it. */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox",
  'X-Frame-Options': 'SAMEORIGIN',
  'Referrer-Policy': 'no-referrer',
}

const REASONS: Partial<Record<Status, string>> = {
  FAILED_PRECONDITION: 'This message is too large or complex to show in its original layout.',
  UNAVAILABLE: 'This is taking a while. Reload the page to try again.',
  DEADLINE_EXCEEDED: 'This is taking a while. Reload the page to try again.',
}

export function showOriginalLayout(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const rendered = await ctx.inbox
      .renderMessage(messageIdsOf(visit), asPerson(workspace.session, visit))
      .catch(explainFailure)
      .catch(undefinedIfMissing)
    if (rendered === undefined) return messageMissing(workspace)
    return { headers: HEADERS, body: frameDocument(rendered.html).text }
  }
}

/** An error page would not fit the frame. */
function explainFailure(error: unknown): { html: string } {
  const reason = error instanceof StatusError ? REASONS[error.status] : undefined
  if (reason === undefined) throw error
  return { html: html`<p>${reason} Read its text on this page instead.</p>`.text }
}

/** @param markup sanitized by the inbox service */
function frameDocument(markup: string): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Original layout</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body { margin: 0; padding: 16px; background: #fff; color: #1d2327; font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere } img { max-width: 100%; height: auto } table { max-width: 100% }</style>
</head>
<body>${markup === '' ? html`<p>This message has no layout of its own.</p>` : trustedHtml(markup)}</body>
</html>
`
}
