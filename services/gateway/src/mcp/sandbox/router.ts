import { Router } from 'express'
import type { Context } from '../../context.ts'
import { readBody } from '../../http/read-body.ts'
import { answerBodyError, methodNotAllowed, refuseEventStream, requireJson, sendJson } from '../http-rules.ts'
import { requireAllowedOrigin } from '../origin.ts'
import { descriptor } from './descriptor.ts'
import { sandboxEndpoint } from './endpoint.ts'

const PATH = '/api/mcp/public'
/** SPEC "Limits": under 64 KB. */
const MAX_BODY_BYTES = 64 * 1024 - 1

/** The public sandbox endpoint: one tool, for agents without credentials. */
export function sandboxRouter(ctx: Context): Router {
  const router = Router({ caseSensitive: true })
  router.all(PATH, requireAllowedOrigin(ctx.config))
  router.get(PATH, refuseEventStream, sendJson(descriptor(ctx.config), 'no-cache'))
  router.post(PATH, requireJson(), readBody(MAX_BODY_BYTES), sandboxEndpoint(ctx))
  router.all(PATH, methodNotAllowed('GET, POST, OPTIONS'))
  router.use(PATH, answerBodyError('The body must be under 64 KB: shorten careContext.'))
  return router
}
