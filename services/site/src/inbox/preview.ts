import { setTimeout as sleep } from 'node:timers/promises'
import {
  DocumentProblem,
  type Drawing,
  type PreviewAttachmentRequest,
  type PreviewAttachmentResponse,
} from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { messageIdsOf } from '../shell/inbox-paths.ts'
import type { BodyReply, Visit } from '../shell/visit.ts'
import { undefinedIfMissing, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { messageMissing } from './read-message.ts'

/** The gateway waits 2.5 seconds for the start of an answer. */
const TIMEOUT_MS = 1500
const MAX_PAGES_SHOWN = 10
const MAX_TRIES = 8

/** Our own pictures in our own markup. Nothing runs, and nothing is requested from elsewhere. */
const DOCUMENT_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox allow-same-origin",
  'X-Frame-Options': 'SAMEORIGIN',
}

const PICTURE_HEADERS = {
  'Content-Type': 'image/jpeg',
  'Content-Security-Policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
}

/** A picture of an attachment: a thumbnail, or with `:page` one page in reading size. */
export function showDrawing(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const page = visit.param('page')
    const request = { ...requestOf(visit), page: readNumber(page), large: page !== '' }
    const drawing = readDrawing(ctx, visit, workspace, request)
    const early = await soon(drawing).catch(undefinedIfMissing)
    if (early === undefined) return messageMissing(workspace)
    if (early === 'later') return { headers: PICTURE_HEADERS, body: bytesOf(drawing) }
    return pictureReply(early)
  }
}

/** A page with the first pages of a document, or with one picture, for a frame and for a window of its own. */
export function showPages(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const request = { ...requestOf(visit), page: 0, large: true }
    const drawing = readDocument(ctx, visit, workspace, request).catch(explainFailure)
    const first = await soon(drawing).catch(undefinedIfMissing)
    if (first === undefined) return messageMissing(workspace)
    const tries = readNumber(visit.query('try'))
    const mayRetry = tries < MAX_TRIES
    const again = first === 'later' && mayRetry ? `pages?try=${tries + 1}` : undefined
    return { headers: DOCUMENT_HEADERS, body: pagesDocument(pagesOf(first, mayRetry), again).text }
  }
}

/** With what a document says, on its first page. */
type Shown = Drawing & { text: string }

/** The first page, or why there is none. */
async function readDocument(
  ctx: Context,
  visit: Visit,
  { session }: Workspace,
  request: PreviewAttachmentRequest,
): Promise<Shown | keyof typeof FAILURES> {
  const options = { token: session.principal, signal: visit.signal }
  const { drawing, text = '', problem } = await readPreview(ctx, request, options)
  if (drawing !== undefined) return { ...drawing, text }
  if (problem === DocumentProblem.LOCKED) return 'locked'
  return problem === DocumentProblem.DAMAGED ? 'damaged' : 'refused'
}

async function readDrawing(...asked: Parameters<typeof readDocument>): Promise<Drawing> {
  const document = await readDocument(...asked)
  if (typeof document === 'string') throw new StatusError('FAILED_PRECONDITION', FAILURES[document])
  return document
}

/** Late work continues, and its result is kept for the next request. */
async function soon<T>(work: Promise<T>): Promise<T | 'later'> {
  const waiting = new AbortController()
  work.catch(() => {}) // reported by whoever waits for it
  try {
    return await Promise.race([work, sleep(TIMEOUT_MS, 'later' as const, { signal: waiting.signal })])
  } finally {
    waiting.abort()
  }
}

function pictureReply({ jpeg }: Drawing): BodyReply {
  return { headers: { ...PICTURE_HEADERS, 'Content-Length': `${jpeg.length}` }, body: once(jpeg) }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function* bytesOf(drawing: Promise<Drawing>): AsyncGenerator<Uint8Array> {
  yield (await drawing).jpeg
}

function explainFailure(error: unknown): 'refused' | 'later' {
  if (!(error instanceof StatusError) || error.status === 'NOT_FOUND') throw error
  return error.status === 'FAILED_PRECONDITION' ? 'refused' : 'later'
}

const FAILURES = {
  refused: 'This file can’t be shown here. Download it instead.',
  locked: 'This file is locked with a password. Download it to open it with the password.',
  damaged: 'This file is damaged, so it can’t be shown here. Ask the sender to send it again.',
}

function pagesOf(first: Shown | keyof typeof FAILURES | 'later', mayRetry: boolean): Html {
  if (first === 'later')
    return html`<p>${mayRetry ? 'Preparing…' : 'This is taking a while. Try again in a minute, or download the file.'}</p>`
  if (typeof first === 'string') return html`<p>${FAILURES[first]}</p>`
  const { pageCount, width, height, text } = first
  const shown = Math.min(Math.max(1, pageCount), MAX_PAGES_SHOWN)
  return html`${Array.from({ length: shown }, (_, page) => {
    const words = pageCount > 0 ? `Page ${page + 1} of ${pageCount}` : 'The picture'
    return html`<img src="pages/${page}" alt="${words}" width="${width}" height="${height}" loading="lazy">\n`
  })}${pageCount > shown && html`<p>${pageCount - shown} more pages are in the download.</p>`}${text !== '' && textOf(text)}`
}

/** For those who hear the page, or want to copy a line. */
function textOf(text: string): Html {
  return html`<details><summary>Text of this document</summary><pre dir="auto">${text}</pre></details>`
}

/** @param again where to look again: some browsers follow it from within a sandbox, in others frames.js does */
function pagesDocument(main: Html, again: string | undefined): Html {
  return html`<!doctype html>
<html lang="en"${again && html` data-again="${again}"`}>
<head>
<meta charset="utf-8">
<title>Attachment</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
${again && html`<meta http-equiv="refresh" content="2;url=${again}">`}
<style>:root { color-scheme: light dark } body { margin: 0; padding: 8px; font: 16px/1.5 system-ui, sans-serif } pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit } summary { min-height: 44px; line-height: 44px; cursor: pointer } img { display: block; max-width: 100%; height: auto; margin: 0 auto 8px; background: #fff; box-shadow: 0 0 0 1px #8884 }</style>
</head>
<body>${main}</body>
</html>
`
}

function requestOf(visit: Visit): Pick<PreviewAttachmentRequest, 'lovedOneId' | 'messageId' | 'index'> {
  return {
    ...messageIdsOf(visit),
    index: /^\d{1,4}$/.test(visit.param('index')) ? Number(visit.param('index')) : -1,
  }
}

function readNumber(text: string): number {
  return /^\d{1,3}$/.test(text) ? Number(text) : 0
}

/** Waits as long as the caller does: a preview may take longer than other calls. */
export async function readPreview(
  ctx: Pick<Context, 'inbox'>,
  request: PreviewAttachmentRequest,
  options: { token: string; signal: AbortSignal },
): Promise<PreviewAttachmentResponse> {
  for await (const response of ctx.inbox.previewAttachment(request, options)) return response
  throw new StatusError('UNAVAILABLE', 'There is no answer.')
}
