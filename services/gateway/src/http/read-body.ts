import { askForBody } from '@family-inbox/service-kit/http-server'
import express, { type RequestHandler } from 'express'

/** Reads the body as it is, up to so many bytes. One that is announced larger, or encoded, is refused before it is sent. */
export function readBody(maxBytes: number): RequestHandler {
  const read = express.raw({ type: () => true, limit: maxBytes, inflate: false })
  return (req, res, next) => {
    const isRefused = Number(req.headers['content-length'] ?? 0) > maxBytes || 'content-encoding' in req.headers
    if (!isRefused) askForBody(req, res)
    return read(req, res, next)
  }
}
