import { createHash } from 'node:crypto'

/** What went wrong in a few words, what there is to know, and what to do. */
export type ErrorWords = { message: string; hint: string }

const STYLE =
  ':root{color-scheme:light dark;--paper:#faf8f4;--ink:#1d2327;--action:#0b5f59}' +
  '@media(prefers-color-scheme:dark){:root{--paper:#15171a;--ink:#eceae4;--action:#5cc8bd}}' +
  'body{margin:0;background:var(--paper);color:var(--ink);font:1.0625rem/1.5 system-ui,sans-serif}' +
  'main{max-width:34rem;margin:0 auto;padding:4rem 1.25rem}h1{font:600 1.7rem/1.2 ui-serif,Georgia,serif}' +
  'a{display:inline-block;padding:.65rem 0;color:var(--action)}a:focus-visible{outline:3px solid var(--action)}'

/** The page brings its own style, since whoever serves the style sheet may be what is away. */
export const ERROR_PAGE_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`

/** An error as a page. The words are ours and hold nothing of the request. */
export function errorPage({ message, hint }: ErrorWords): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${message.replace(/\.$/, '')} · Family Care Inbox</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${message.replace(/\.$/, '')}</h1>
<p>${hint}</p>
<p><a href="">Try again</a></p>
</main>
</body>
</html>
`
}
