import { type Decision, type PipeServiceService, type PostedEvent, Verdict } from '@family-inbox/proto/pipe/v1/pipe'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { createBatcher } from '@family-inbox/service-kit/rpc/batch'
import { answerInTime } from '@family-inbox/service-kit/rpc/deadline'
import type { RpcClient } from '@family-inbox/service-kit/rpc/dial'
import { PATHS } from '@family-inbox/workspace-kit/endpoints'
import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express'
import type { Context } from '../context.ts'
import { clientAddressOf } from '../http/client-address.ts'
import { type ErrorObject, errorObject } from '../http/error-object.ts'
import { clientOf } from '../http/rate-limit.ts'
import { readBody } from '../http/read-body.ts'
import { fromVerdict, type PipeAnswer, tooManyUnproven, unavailable } from './from-verdict.ts'

/** Together these keep a batch under gRPC's 4 MB per message. */
const SMALL_BYTES = 8 * 1024
const MOST_AT_ONCE = 128
/** A batch costs the pipe about the same for any number of events. */
const GATHER_MS = 5
/** Batches wait for the disk, so two in flight are enough unless both stall this long. */
const STALE_MS = 500

const PATH = PATHS.pipe
const MAX_BODY_KB = 256

export function pipeRouter(ctx: Context): Router {
  const router = Router({ caseSensitive: true })
  router.post(PATH, readBody(MAX_BODY_KB * 1024), pipeEndpoint(ctx))
  router.all(PATH, methodNotAllowed)
  router.use(PATH, answerBodyError)
  return router
}

const methodNotAllowed: RequestHandler = (_req, res) => {
  const body = errorObject('method_not_allowed', 'Send events with POST.', 'See the partner documentation.')
  send(res, { status: 405, headers: { allow: 'POST' }, body })
}

const answerBodyError: ErrorRequestHandler = (error: { status?: number }, _req, res, next) => {
  const answer = BODY_ERRORS[error.status ?? 500]
  if (answer === undefined || res.headersSent) return next(error)
  send(res, answer)
}

const BODY_ERRORS: Record<number, { status: number; body: ErrorObject<string> }> = {
  400: { status: 400, body: errorObject('bad_request', 'The body was cut off.', 'Send the event again.') },
  413: {
    status: 413,
    body: errorObject('too_large', `The body is larger than ${MAX_BODY_KB} KB.`, 'Send a smaller event.'),
  },
  415: {
    status: 400,
    body: errorObject('bad_request', 'The body has a Content-Encoding.', 'Send the signed bytes unchanged.'),
  },
}

function pipeEndpoint(ctx: Context): RequestHandler {
  const ingestEvent = createIngestEvent(ctx.pipe)
  return async (req, res) => {
    const event = postedEvent(req)
    const client = clientOf(req, ctx.config.trustedProxies, senderOf(ctx, req, event))
    const waitSec = ctx.rateLimit.secondsToWait(client)
    if (waitSec > 0) return send(res, tooManyUnproven(waitSec))
    if (!ctx.loadShedder.admits(res)) return send(res, unavailable)
    try {
      const decision = await answerInTime(ingestEvent(event))
      ctx.rateLimit.settle(client, !UNPROVEN.has(decision.verdict))
      send(res, fromVerdict[decision.verdict](decision))
    } catch (error) {
      ctx.logger.warn(describeError(error), 'event not accepted')
      send(res, unavailable)
    }
  }
}

/** Nobody proved with these that an institution sent the event. */
const UNPROVEN = new Set<Verdict>([Verdict.STALE, Verdict.BAD_SIGNATURE, Verdict.UNSIGNED_TIMESTAMP])

/** The name of an institution is no secret, so it counts only together with the address it is sent from. */
function senderOf({ config }: Context, req: Request, { institutions }: PostedEvent): string {
  return JSON.stringify([institutions, clientAddressOf(req, config.trustedProxies)])
}

/** Repeated headers stay separate: joined by a comma they would look like one value. */
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

function send(res: Response, { status, headers, body }: PipeAnswer): void {
  const text = JSON.stringify(body)
  res.writeHead(status, {
    ...headers,
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(text),
  })
  res.end(text)
}

/** Small events share a round trip. @throws StatusError when the pipe is late; the event may still be accepted */
function createIngestEvent(
  pipe: Pick<RpcClient<typeof PipeServiceService>, 'ingestEvents'>,
): (event: PostedEvent) => Promise<Decision> {
  const ingest = async (events: PostedEvent[]) => (await pipe.ingestEvents({ events })).decisions
  const together = createBatcher(ingest, { maxItems: MOST_AT_ONCE, gatherMs: GATHER_MS, staleMs: STALE_MS })
  return async (event) => {
    if (event.body.length <= SMALL_BYTES) return together(event)
    const [decision] = await ingest([event])
    return decision as Decision
  }
}
