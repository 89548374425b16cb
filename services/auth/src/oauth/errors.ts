import type { IncomingMessage, ServerResponse } from 'node:http'
import { escapeHtml } from '@family-inbox/service-kit/text/escape-html'
import type { Configuration } from 'oidc-provider'

export const RETRY_LATER = { error: 'temporarily_unavailable', error_description: 'try again in a moment' }
export const TOO_LARGE = { error: 'invalid_request', error_description: 'the request is too large' }

/** An OAuth error (RFC 6749 section 5.2). */
export function answerJson(
  res: ServerResponse,
  status: number,
  body: { error: string; error_description: string },
  headers: Record<string, string> = {},
): undefined {
  if (res.headersSent) return void res.destroy()
  res.writeHead(status, { ...headers, 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
  res.end(JSON.stringify(body))
}

const INVALID_REQUEST = [
  'The app sent an invalid request, or the request has expired. Nothing was connected or changed.',
  'Go back to the app and connect it again. If you see this page again, send the line below to the app’s support.',
] as const
const TOO_BUSY = [
  'We can’t connect apps right now. Nothing was connected or changed.',
  'Wait a few minutes, then go back to the app and connect it again.',
] as const
const REFUSED = [
  'You can’t connect the app this way. Nothing was connected or changed.',
  'Go back to the app and connect it again.',
] as const

const WORDS: Record<string, readonly [string, string]> = { temporarily_unavailable: TOO_BUSY, access_denied: REFUSED }

type Reason = { error: string; error_description?: string }

const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
}

/** Shown when the browser cannot be sent back to the client. */
export const renderError: NonNullable<Configuration['renderError']> = (ctx, out) => {
  ctx.set(HEADERS)
  // Some errors carry the status of the redirect they would have been.
  if (ctx.status < 400) ctx.status = 400
  if (ctx.accepts('html', 'json') === 'json') {
    ctx.body = out
    return
  }
  ctx.type = 'html'
  ctx.body = errorPage(out)
}

/** Answers browsers with a page, and clients with JSON. */
export function answerError(
  { headers: { accept = '' } }: IncomingMessage,
  res: ServerResponse,
  status: number,
  reason: Required<Reason>,
  headers: Record<string, string> = {},
): undefined {
  if (!/\btext\/html\b/.test(accept) || res.headersSent) return answerJson(res, status, reason, headers)
  res.writeHead(status, { ...HEADERS, ...headers, 'Content-Type': 'text/html; charset=utf-8' })
  res.end(errorPage(reason))
}

function errorPage({ error, error_description }: Reason): string {
  const reason = [error, error_description].filter((word) => word !== undefined).join(': ')
  const [what, next] = WORDS[error] ?? INVALID_REQUEST
  const words: Record<string, string> = { what, next, reason: escapeHtml(reason) }
  return PAGE.replaceAll(/\{(what|next|reason)\}/g, (_, name: string) => words[name] ?? '')
}

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>This app couldn’t be connected</title>
<style>
:root { color-scheme: light dark }
body { max-width: 34em; margin: 10vh auto; padding: 0 1.25em; font: 1.0625em/1.5 system-ui, sans-serif; background: #faf8f4; color: #1d2327 }
h1 { font-size: 1.5em; line-height: 1.2 }
p:last-child { font-size: .9em; opacity: .8 }
@media (prefers-color-scheme: dark) { body { background: #15171a; color: #eceae4 } }
</style>
<main>
<h1>This app couldn’t be connected</h1>
<p>{what}</p>
<p>{next}</p>
<p>{reason}</p>
</main>
</html>
`
