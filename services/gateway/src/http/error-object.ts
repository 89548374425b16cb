import { createHash } from 'node:crypto'
import { describeError, type Logger } from '@family-inbox/service-kit/observability/logger'
import { PRODUCT } from '@family-inbox/workspace-kit/product'
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'

export type ErrorObject<Code extends string = ErrorCode> = { error: { code: Code } & ErrorText }

/** The public site uses `spec_unavailable`; the other addresses use `unavailable`. */
export type ErrorCode =
  | 'bad_request'
  | 'not_found'
  | 'method_not_allowed'
  | 'rate_limited'
  | 'spec_unavailable'
  | 'unavailable'
  | 'internal'

export function errorObject<Code extends string>(code: Code, message: string, hint: string): ErrorObject<Code> {
  return { error: { code, message, hint } }
}

/** Sends an error as a page to clients that prefer HTML, and as the error object to the rest. */
export function sendError(req: Request, res: Response, status: number, code: ErrorCode, words: ErrorText): void {
  res.status(status).vary('Accept').set('Cache-Control', 'no-store')
  if (req.accepts(['application/json', 'text/html']) === 'text/html')
    res.set('Content-Security-Policy', ERROR_PAGE_POLICY).type('html').send(errorPage(words))
  else res.json(errorObject(code, words.message, words.hint))
}

export const notFound: RequestHandler = (req, res) => {
  const hint = 'Check the path; see /llms.txt on the public site.'
  sendError(req, res, 404, 'not_found', { message: 'There is nothing at this address.', hint })
}

/** For read-only addresses: answers OPTIONS and refuses every other method. */
export const readOnly: RequestHandler = (req, res) => {
  res.set('Allow', 'GET, HEAD, OPTIONS')
  if (req.method === 'OPTIONS') return void res.status(204).end()
  const message = 'This address answers to GET, HEAD and OPTIONS.'
  sendError(req, res, 405, 'method_not_allowed', { message, hint: 'Nothing can be created or changed here.' })
}

/** The last error handler. Reveals nothing internal and never quotes the request. */
export function answerError(logger: Logger): ErrorRequestHandler {
  return (error: { status?: number }, req, res, _next) => {
    // The proxy may also report an error after it answered.
    if (res.writableEnded) return
    if (res.headersSent) return void res.destroy()
    const isBadRequest = error.status !== undefined && error.status >= 400 && error.status < 500
    if (isBadRequest) return sendError(req, res, 400, 'bad_request', UNREADABLE)
    logger.error(describeError(error), 'unexpected error')
    const message = 'Something went wrong on our side.'
    sendError(req, res, 500, 'internal', { message, hint: 'Try again in a moment.' })
  }
}

export const UNREADABLE: ErrorText = {
  message: 'The request could not be understood.',
  hint: 'Check the address and the headers.',
}

type ErrorText = { message: string; hint: string }

const STYLE =
  ':root{color-scheme:light dark;--paper:#faf8f4;--ink:#1d2327;--action:#0b5f59}' +
  '@media(prefers-color-scheme:dark){:root{--paper:#15171a;--ink:#eceae4;--action:#5cc8bd}}' +
  'body{margin:0;background:var(--paper);color:var(--ink);font:1.0625rem/1.5 system-ui,sans-serif}' +
  'main{max-width:34rem;margin:0 auto;padding:4rem 1.25rem}h1{font:600 1.7rem/1.2 ui-serif,Georgia,serif}' +
  'a{display:inline-block;padding:.65rem 0;color:var(--action)}a:focus-visible{outline:3px solid var(--action)}'

/** The style is inline, since the service with the style sheet may be the one that is down. */
const ERROR_PAGE_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`

function errorPage({ message, hint }: ErrorText): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${message.replace(/\.$/, '')} · ${PRODUCT}</title>
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
