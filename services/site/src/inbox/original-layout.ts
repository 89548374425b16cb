import { type Status, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { type Html, html, trustedHtml } from '../shell/html.ts'
import { messageIdsOf } from '../shell/inbox-paths.ts'
import { withQuery } from '../shell/parts.ts'
import { asPerson } from '../shell/session.ts'
import { undefinedIfMissing, type WorkspaceHandler } from '../shell/workspace.ts'
import { messageMissing } from './read-message.ts'

const MAX_TRIES = 5

/** Of a letter that may be a scam: a link leads nowhere, and its address is beside it. Its frame opens no windows either. */
const TEXT_LINKS =
  'a { pointer-events: none !important; color: inherit !important; text-decoration: none !important } a[href]::after { content: " (" attr(href) ")" }'

/**
 * Blocks scripts, requests, and forms, even if sanitizing missed something. Only our own pages may frame it, and measure it: it has
 * their origin, which gives nothing to a document that runs no script.
 */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox",
  'X-Frame-Options': 'SAMEORIGIN',
  'Referrer-Policy': 'no-referrer',
}

const LATE = 'This is taking a while. If it does not appear, reload the page.'

const REASONS: Partial<Record<Status, string>> = {
  FAILED_PRECONDITION: 'This message is too large or complex to show in its original layout.',
  UNAVAILABLE: LATE,
  DEADLINE_EXCEEDED: LATE,
}

export function showOriginalLayout(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const rendered = await ctx.inbox
      .renderMessage(messageIdsOf(visit), asPerson(workspace.session, visit))
      .catch(explainFailure)
      .catch(undefinedIfMissing)
    if (rendered === undefined) return messageMissing(workspace)
    const tries = Number.parseInt(visit.query('try'), 10) || 0
    const links = visit.query('links')
    const again =
      'isLate' in rendered && tries < MAX_TRIES ? withQuery('original', { links, try: String(tries + 1) }) : undefined
    return { headers: HEADERS, body: frameDocument(rendered.html, links === 'text' ? TEXT_LINKS : '', again).text }
  }
}

/** An error page would not fit the frame. */
function explainFailure(error: unknown): { html: string; isLate?: true } {
  const reason = error instanceof StatusError ? REASONS[error.status] : undefined
  if (reason === undefined) throw error
  const { text } = html`<p>${reason} Its text is on this page, too.</p>`
  return reason === LATE ? { html: text, isLate: true } : { html: text }
}

/**
 * @param markup sanitized by the inbox service
 * @param again where frames.js looks once more
 */
function frameDocument(markup: string, style: string, again: string | undefined): Html {
  return html`<!doctype html>
<html lang="en"${again && html` data-again="${again}"`}>
<head>
<meta charset="utf-8">
<title>Original layout</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body { margin: 0; padding: 16px; background: #fff; color: #1d2327; font: 16px/1.5 system-ui, sans-serif; overflow-wrap: break-word } img { max-width: 100%; height: auto } ${style}</style>
</head>
<body>${markup === '' ? html`<p>This message has no layout of its own.</p>` : trustedHtml(markup)}</body>
</html>
`
}
