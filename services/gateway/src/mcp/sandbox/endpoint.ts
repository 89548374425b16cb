import { describeError } from '@family-inbox/service-kit/logger'
import { raceDeadline } from '@family-inbox/service-kit/rpc/deadline'
import type { Request as HttpRequest, RequestHandler } from 'express'
import type { Context } from '../../context.ts'
import { clientAddressOf } from '../../http/client-address.ts'
import { errorEnvelope } from '../../json-rpc/envelope.ts'
import { parseRequest } from '../../json-rpc/parse-request.ts'
import type { Answer } from '../answer.ts'
import { overloaded, retryLater } from '../refusals.ts'
import { sendAnswer } from '../send-answer.ts'
import { answerRequest } from './methods.ts'
import { createRecentRefusals, type RecentRefusals } from './recent-refusals.ts'

/** Every POST is answered within two seconds, whatever is down behind the gateway. */
const BUDGET_MS = 1900
/** What the sandbox service has of that. */
const START_MS = 1700

/** POST: one JSON-RPC call of whoever calls, answered as JSON. Credentials are not looked at. The body has been read as raw bytes. */
export function sandboxEndpoint(ctx: Context): RequestHandler {
  const refusals = createRecentRefusals()
  return async (req, res) => {
    const message = parseRequest(req.body as Buffer)
    const id = 'id' in message ? message.id : 'null'
    if (!ctx.admission(res)) return sendAnswer(res, overloaded(id))
    try {
      sendAnswer(res, await raceDeadline(answerMessage(ctx, req, message, refusals), Date.now() + BUDGET_MS))
    } catch (error) {
      ctx.logger.error(describeError(error), 'a sandbox call could not be answered')
      sendAnswer(res, retryLater(id))
    }
  }
}

async function answerMessage(
  ctx: Context,
  req: HttpRequest,
  message: ReturnType<typeof parseRequest>,
  refusals: RecentRefusals,
): Promise<Answer> {
  if (message.kind === 'notification') return { status: 202 }
  if (message.kind === 'malformed')
    return { status: 400, body: errorEnvelope(message.id, message.code, message.message) }
  const clientAddress = clientAddressOf(req, ctx.config.trustedProxies)
  const deadline = Date.now() + START_MS
  return answerRequest(ctx, message, { clientAddress, deadline, refusals })
}
