import { pipeline } from 'node:stream/promises'
import { describeError, type Logger } from '@family-inbox/service-kit/logger'
import type { Response } from 'express'
import type { Download } from './reply.ts'

/** Sends a file to be kept: never opened by the browser, never stored on the way, and read as no other type than it says. */
export function sendDownload(logger: Logger, res: Response, { filename, contentType, size, body }: Download): void {
  res.attachment(filename)
  res.set({ 'Content-Type': contentType, 'Content-Security-Policy': "sandbox; default-src 'none'" })
  if (size !== undefined) res.set('Content-Length', `${size}`)
  pipeline(body, res).catch((error) => {
    if (!res.destroyed) res.destroy()
    if ((error as { code?: string }).code !== 'ERR_STREAM_PREMATURE_CLOSE')
      logger.warn(describeError(error), 'a download broke off')
  })
}
