import { requestBody } from '@family-inbox/service-kit/http/http-server'
import express, { type RequestHandler } from 'express'

/** Reads the body as it is, up to so many bytes. One that is announced larger is refused before it is sent. */
export function readBody(maxBytes: number): RequestHandler {
  const read = express.raw({ type: () => true, limit: maxBytes, inflate: false })
  return (req, res, next) => {
    // The parser would refuse it only after all of it had come.
    if (Number(req.headers['content-length'] ?? 0) > maxBytes)
      return next(Object.assign(new Error('the body is too large'), { status: 413 }))
    requestBody(req, res)
    return read(req, res, next)
  }
}
