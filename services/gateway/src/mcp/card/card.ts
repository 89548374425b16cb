import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PRODUCT } from '@family-inbox/workspace-kit/product'

/** The extension that hosts declare (SEP-1865, MCP Apps 2026-01-26). */
export const UI_EXTENSION = 'io.modelcontextprotocol/ui'

export const CARD_URI = 'ui://family-inbox/card'

const CARD_TYPE = 'text/html;profile=mcp-app'

const [style = '', script = ''] = ['card.css', 'card.js'].map((name) =>
  readFileSync(join(import.meta.dirname, name), 'utf8'),
)

/** What a host shows with the result of a tool. The same for everyone: the host hands it the result. */
export function cardResource({ inbox }: { inbox: string }) {
  const described = { uri: CARD_URI, name: 'card', title: PRODUCT, mimeType: CARD_TYPE }
  return {
    described,
    contents: { uri: CARD_URI, mimeType: CARD_TYPE, text: page(inbox), _meta: { ui: { prefersBorder: true } } },
  }
}

/** Nothing but its own script and style, and nothing from elsewhere, whatever the host's policy is. */
function page(inbox: string): string {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${PRODUCT}</title>
<style>${style}</style>
</head>
<body>
<main aria-live="polite" data-inbox="${inbox}"></main>
<script>${script}</script>
</body>
</html>
`
}
