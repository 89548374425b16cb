import { type Html, html, trustedHtml } from '../html.ts'

/**
 * The document of a mail's own markup, for a sandboxed frame.
 * @param markup made safe by inbox; what it may do is decided by the headers it is sent with
 */
export function designedDocument(markup: string): Html {
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
