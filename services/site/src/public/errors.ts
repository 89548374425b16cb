import { html } from '../shell/html.ts'
import type { PublicError } from './answer.ts'
import type { PublicContent, PublicSite } from './layout.ts'

type ErrorWords = { title: string; message: string; hint: string }

export const ERRORS: Record<PublicError, ErrorWords> = {
  bad_request: {
    title: 'Invalid address',
    message: 'The address is malformed.',
    hint: 'Check it for stray percent signs, or go to the home page.',
  },
  not_found: {
    title: 'Page not found',
    message: 'There is nothing at this address.',
    hint: 'All pages are listed in /llms.txt and /sitemap.xml.',
  },
  method_not_allowed: {
    title: 'Method not allowed',
    message: 'This address only accepts GET, HEAD and OPTIONS.',
    hint: 'This site is read-only. For the tool server, see /llms.txt.',
  },
  not_acceptable: {
    title: 'Not acceptable',
    message: 'Pages are available as text/html and text/markdown only.',
    hint: 'Send Accept: text/markdown or text/html, or leave Accept out.',
  },
  spec_unavailable: {
    title: 'Document not available',
    message: 'The OpenAPI document is not available right now.',
    hint: 'Try again later, or read /llms.txt.',
  },
}

export function errorObject(code: string, { message, hint }: ErrorWords): string {
  return JSON.stringify({ error: { code, message, hint } })
}

export function errorContent({ title, message, hint }: ErrorWords, { pages }: PublicSite): PublicContent {
  const links = pages.map(
    ({ path, label, description }) => html`<li><a href="${path}">${label}</a>. ${description}</li>\n`,
  )
  return {
    title,
    description: message,
    main: html`<h1>${title}</h1>
<p>${message} ${hint}</p>
<h2>All pages</h2>
<ul>${links}</ul>`,
  }
}
