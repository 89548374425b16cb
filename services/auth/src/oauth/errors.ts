import type { IncomingMessage, ServerResponse } from 'node:http'
import { escapeHtml } from '@family-inbox/service-kit/text/escape-html'
import type { Configuration } from 'oidc-provider'

export const RETRY_LATER = { error: 'temporarily_unavailable', error_description: 'try again in a moment' }

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
  'Too many people are connecting apps right now. Nothing was connected or changed.',
  'Wait a few minutes, then go back to the app and connect it again.',
] as const

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

export function wantsPage({ headers }: IncomingMessage): boolean {
  return /\btext\/html\b/.test(headers.accept ?? '')
}

export function answerErrorPage(
  res: ServerResponse,
  status: number,
  reason: Reason,
  headers: Record<string, string>,
): void {
  res.writeHead(status, { ...HEADERS, ...headers, 'Content-Type': 'text/html; charset=utf-8' })
  res.end(errorPage(reason))
}

function errorPage({ error, error_description }: Reason): string {
  const reason = [error, error_description].filter((word) => word !== undefined).join(': ')
  const [what, next] = error === 'temporarily_unavailable' ? TOO_BUSY : INVALID_REQUEST
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
