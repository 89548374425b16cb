import { html } from '../shell/html.ts'
import type { PublicError } from './answer.ts'
import type { PublicContent, PublicSite } from './layout.ts'

type ErrorWords = { title: string; message: string; hint: string }

/** What each error of the public site says, to programs and to people (SPEC "Error object"). */
export const ERRORS: Record<PublicError, ErrorWords> = {
  bad_request: {
    title: 'This address cannot be read',
    message: 'The address is malformed.',
    hint: 'Check it for stray percent signs, or start from the first page.',
  },
  not_found: {
    title: 'There is no such page',
    message: 'There is nothing at this address.',
    hint: 'All pages are listed in /llms.txt and /sitemap.xml.',
  },
  method_not_allowed: {
    title: 'This page can only be read',
    message: 'This address answers to GET, HEAD and OPTIONS.',
    hint: 'Nothing can be created or changed on this site; the tool server is described in /llms.txt.',
  },
  not_acceptable: {
    title: 'This page comes in other forms',
    message: 'Pages come as text/html and text/markdown, and neither is acceptable to you.',
    hint: 'Ask with Accept: text/markdown or text/html, or leave Accept out.',
  },
  spec_unavailable: {
    title: 'This document is not available',
    message: 'The description of this site cannot be made right now.',
    hint: 'Try again later; /llms.txt says the same in words.',
  },
}

export function errorObject(code: string, { message, hint }: ErrorWords): string {
  return JSON.stringify({ error: { code, message, hint } })
}

/** An error as a page: what happened, and every page there is. */
export function errorContent({ title, message, hint }: ErrorWords, { pages }: PublicSite): PublicContent {
  const links = pages.map(
    ({ path, label, description }) => html`<li><a href="${path}">${label}</a>. ${description}</li>\n`,
  )
  return {
    title,
    description: message,
    main: html`<h1>${title}</h1>
<p>${message} ${hint}</p>
<h2>What there is</h2>
<ul>${links}</ul>`,
  }
}
