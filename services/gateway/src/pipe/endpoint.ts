import type { PostedEvent } from '@family-inbox/proto/pipe/v1/pipe'
import { describeError } from '@family-inbox/service-kit/logger'
import { raceDeadline } from '@family-inbox/service-kit/rpc/deadline'
import type { Request, RequestHandler, Response } from 'express'
import type { Context } from '../context.ts'
import { fromVerdict, type PipeAnswer, unavailable } from './from-verdict.ts'

/** Every POST is answered within two seconds, whatever is down behind the gateway. */
const BUDGET_MS = 1900

/** POST: one event, its body read as raw bytes. The pipe decides; whatever goes wrong on the way is 503. */
export function pipeEndpoint(ctx: Context): RequestHandler {
  return async (req, res) => {
    if (!ctx.admission(res)) return send(res, unavailable)
    try {
      const decision = await raceDeadline(ctx.ingestEvent(postedEvent(req)), Date.now() + BUDGET_MS)
      send(res, fromVerdict[decision.verdict](decision))
    } catch (error) {
      ctx.logger.warn(describeError(error), 'an event could not be taken')
      send(res, unavailable)
    }
  }
}

/** Header values are handed over one by one, since two of one name are not one with a comma. */
function postedEvent({ body, headersDistinct }: Request): PostedEvent {
  const values = (name: string) => headersDistinct[name] ?? []
  return {
    body: body instanceof Uint8Array ? body : new Uint8Array(),
    institutions: values('x-pipe-institution'),
    signatures: values('x-pipe-signature'),
    timestamps: values('x-pipe-timestamp'),
    partnerEventIds: values('x-pipe-event-id'),
    contentTypes: values('content-type'),
    webhookIds: values('webhook-id'),
    webhookTimestamps: values('webhook-timestamp'),
    webhookSignatures: values('webhook-signature'),
  }
}

export function send(res: Response, { status, headers, body }: PipeAnswer): void {
  const text = JSON.stringify(body)
  res.writeHead(status, {
    ...headers,
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(text),
  })
  res.end(text)
}
