import { answerBeforeBody, requestBody } from '@family-inbox/service-kit/http/http-server'
import express, { type RequestHandler } from 'express'

/** Reads the raw body, up to `maxBytes`. A larger announced length is refused before the body is sent. */
export function readBody(maxBytes: number): RequestHandler {
  const read = express.raw({ type: () => true, limit: maxBytes, inflate: false })
  return (req, res, next) => {
    // The parser would refuse it only after all of it arrived.
    if (Number(req.headers['content-length'] ?? 0) > maxBytes) {
      answerBeforeBody(req, res)
      return next(Object.assign(new Error('the body is too large'), { status: 413 }))
    }
    requestBody(req, res)
    return read(req, res, next)
  }
}
