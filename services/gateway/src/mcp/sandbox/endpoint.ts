import { describeError } from '@family-inbox/service-kit/observability/logger'
import { answerInTime } from '@family-inbox/service-kit/rpc/deadline'
import { endpointsOf, PATHS } from '@family-inbox/workspace-kit/endpoints'
import { serverInfo, spokenRevisions } from '@family-inbox/workspace-kit/tool-catalogue'
import { type Request as HttpRequest, type RequestHandler, Router } from 'express'
import type { Config } from '../../config.ts'
import type { Context } from '../../context.ts'
import { clientAddressOf } from '../../http/client-address.ts'
import { readBody } from '../../http/read-body.ts'
import { errorEnvelope } from '../../json-rpc/envelope.ts'
import { type Answer, sendAnswer } from '../answer.ts'
import {
  answerBodyError,
  byPublicSite,
  methodNotAllowed,
  refuseEventStream,
  refuseOtherTypes,
  sendJson,
} from '../http-rules.ts'
import { refuseOtherOrigins } from '../origin.ts'
import { type Message, readMessage } from '../read-message.ts'
import { overloaded, retryLater } from '../refusals.ts'
import { sandboxMethods } from './methods.ts'
import { createRecentRefusals, type RecentRefusals } from './recent-refusals.ts'
import { startTool } from './start-tool.ts'

const PATH = PATHS.sandbox
/** SPEC "Limits": under 64 KB. */
const MAX_BODY_BYTES = 64 * 1024 - 1

export function sandboxRouter(ctx: Context): Router {
  const router = Router({ caseSensitive: true })
  const answer = (hasPublicSite: boolean) => sendJson(descriptor({ ...ctx.config, hasPublicSite }), 'no-cache')
  router.all(PATH, refuseOtherOrigins(ctx.config))
  router.get(PATH, refuseEventStream, byPublicSite(ctx, answer))
  router.post(PATH, refuseOtherTypes(), readBody(MAX_BODY_BYTES), sandboxEndpoint(ctx))
  router.all(PATH, methodNotAllowed('GET, POST, OPTIONS'))
  router.use(PATH, answerBodyError('The body must be under 64 KB: shorten careContext.'))
  return router
}

const START_MS = 1700

export function sandboxEndpoint(ctx: Context): RequestHandler {
  const answering = { refusals: createRecentRefusals(), methods: sandboxMethods(ctx.config) }
  return async (req, res) => {
    const message = readMessage(req.body as Buffer, req.headers, ctx.config.serverName)
    if (!ctx.loadShedder.admits(res)) return sendAnswer(res, overloaded(message))
    try {
      sendAnswer(res, await answerInTime(answerMessage(ctx, req, message, answering)))
    } catch (error) {
      ctx.logger.error(describeError(error), 'sandbox call failed')
      sendAnswer(res, retryLater(message))
    }
  }
}

async function answerMessage(
  ctx: Context,
  req: HttpRequest,
  message: Message,
  { refusals, methods }: { refusals: RecentRefusals; methods: ReturnType<typeof sandboxMethods> },
): Promise<Answer> {
  if (message.kind === 'notification') return { status: 202 }
  if (message.kind === 'malformed')
    return { status: 400, body: errorEnvelope(message, message.code, message.message, message.data) }
  const clientAddress = clientAddressOf(req, ctx.config.trustedProxies)
  const deadline = Date.now() + START_MS
  return methods(message, { ctx, clientAddress, deadline, refusals })
}

/** The public description, as JSON text (SPEC "GET /api/mcp/public"). */
function descriptor({
  urls,
  serverName,
  sandboxBucket,
  hasPublicSite,
}: Pick<Config, 'urls' | 'serverName' | 'sandboxBucket' | 'hasPublicSite'>): string {
  const { capacity, refillSeconds } = sandboxBucket
  return JSON.stringify({
    ...serverInfo,
    name: serverName,
    description: 'Creates sandbox workspaces for families, without credentials. A person can claim one later.',
    ...spokenRevisions,
    endpoint: endpointsOf(urls).sandbox,
    transport: 'streamable-http',
    authentication: { schemes: [], note: 'None. The only header needed is Content-Type: application/json.' },
    rateLimit: `Each client address may start ${capacity} workspaces, plus one more every ${refillSeconds} seconds. Above that, the response is 429 with Retry-After: wait that long, then try once.`,
    ...(hasPublicSite && { documentation: `${urls.base}/developers` }),
    tools: [{ name: startTool.name, description: startTool.summary }],
  })
}
