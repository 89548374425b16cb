import { once } from 'node:events'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import type { Response } from 'express'
import { type Coding, chooseCoding } from '../assets/compression.ts'
import type { Context } from '../context.ts'
import { toSetCookie } from './cookies.ts'
import { applicationDocument } from './layout.ts'
import { externalRedirectHeaders } from './security-headers.ts'
import type { BodyReply, PageReply, Reply } from './visit.ts'

/** The gateway disconnects slow readers; this covers a stalled gateway. */
const STALL_MS = 5 * 60_000

const COMPRESS: Record<Coding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 5 }),
  identity: async (bytes) => bytes,
}

export async function sendReply(ctx: Context, res: Response, reply: Reply): Promise<void> {
  res.set({ 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex' })
  for (const cookie of reply.cookies ?? []) res.append('Set-Cookie', toSetCookie(ctx.config, cookie))
  if ('body' in reply) return sendBody(ctx, res, reply)
  if ('page' in reply) return sendPage(ctx, res, reply)
  // On a redirect, this header would cut the window off from the application that opened it.
  res.removeHeader('Cross-Origin-Opener-Policy')
  res.status(303).set('Location', reply.redirectTo).end()
}

/** Compression is safe here (BREACH): pages contain no secret tokens, and cookies are SameSite. */
async function sendPage({ config, assets, readSwitches }: Context, res: Response, reply: PageReply): Promise<void> {
  const { page, status = 200, retryAfterSec } = reply
  if (page.allowsExternalRedirects) res.set(externalRedirectHeaders())
  if (retryAfterSec) res.set('Retry-After', `${retryAfterSec}`)
  const { hasPublicSite } = await readSwitches()
  const document = Buffer.from(applicationDocument(page, assets, hasPublicSite ? config.urls.base : undefined).text)
  const coding = chooseCoding(res.req.get('accept-encoding'))
  res.vary('Accept-Encoding')
  if (coding !== 'identity') res.set('Content-Encoding', coding)
  res
    .status(status)
    .type('html')
    .send(await COMPRESS[coding](document))
}

async function sendBody({ logger }: Context, res: Response, reply: BodyReply): Promise<void> {
  const { status = 200, headers, body } = reply
  res.status(status).set(headers)
  if (typeof body === 'string') return void res.send(body)
  if (res.req.method === 'HEAD') return void res.end()
  const closed = new AbortController()
  res.once('close', () => closed.abort())
  const waitForDrain = async () =>
    once(res, 'drain', { signal: AbortSignal.any([closed.signal, AbortSignal.timeout(STALL_MS)]) })
  res.flushHeaders()
  try {
    for await (const piece of body) {
      if (closed.signal.aborted) return
      if (!res.write(piece)) await waitForDrain()
    }
    res.end()
  } catch (error) {
    if (!closed.signal.aborted) logger.warn(describeError(error), 'response aborted')
    // The headers are sent, so closing the connection is the only way to report the failure.
    res.destroy()
  }
}
