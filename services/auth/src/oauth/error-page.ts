import type { Configuration } from 'oidc-provider'

/**
 * What a browser shows when it cannot be sent back to the application: the application is unknown, its address is not the
 * registered one, or the request has expired. A page without anything to load, so that its CSP can forbid everything.
 */
export const renderError: NonNullable<Configuration['renderError']> = (ctx, out) => {
  ctx.set('Cache-Control', 'no-store')
  ctx.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
  if (ctx.accepts('html', 'json') === 'json') {
    ctx.body = out
    return
  }
  const reason = [out.error, out.error_description].filter((word) => word !== undefined).join(': ')
  ctx.type = 'html'
  ctx.body = PAGE.replace('{reason}', () => escapeHtml(reason))
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>This application could not be connected</title>
<style>
:root { color-scheme: light dark }
body { max-width: 34em; margin: 10vh auto; padding: 0 1.25em; font: 1.0625em/1.5 system-ui, sans-serif; background: #faf8f4; color: #1d2327 }
h1 { font-size: 1.5em; line-height: 1.2 }
p:last-child { font-size: .9em; opacity: .8 }
@media (prefers-color-scheme: dark) { body { background: #15171a; color: #eceae4 } }
</style>
<main>
<h1>This application could not be connected</h1>
<p>The application sent something we cannot act on, or the request has expired. Nothing was connected and nothing was changed.</p>
<p>Go back to the application and connect it again. If this page comes back, tell its makers what is written below.</p>
<p>{reason}</p>
</main>
</html>
`
