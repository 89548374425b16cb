import { Admission, type AuditEntry, type Caller, Outcome } from '@family-inbox/proto/auth/v1/auth'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { count, durations } from '@family-inbox/service-kit/observability/metrics'
import { setSpanAttributes } from '@family-inbox/service-kit/observability/spans'
import { answerInTime } from '@family-inbox/service-kit/rpc/deadline'
import type { Request as HttpRequest, RequestHandler } from 'express'
import type { Context } from '../../context.ts'
import { clientAddressOf } from '../../http/client-address.ts'
import { clientOf } from '../../http/rate-limit.ts'
import { type Asked, code, errorEnvelope } from '../../json-rpc/envelope.ts'
import { type Answer, sendAnswer } from '../answer.ts'
import { findCredential } from '../credential.ts'
import { UNREAD } from '../http-rules.ts'
import { type Message, type Request, readMessage } from '../read-message.ts'
import { overloaded, rateLimited, retryLater, unauthorizedChallenge } from '../refusals.ts'
import { recordedToolName } from './call-tool.ts'
import { familyMethods } from './methods.ts'

export function mcpEndpoint(ctx: Context, address: McpAddress): RequestHandler {
  const methods = familyMethods(ctx.config)
  return async (req, res) => {
    const message = readMessage(req.body as Buffer, req.headers, ctx.config.serverName)
    const answer = ctx.loadShedder.admits(res)
      ? await answerOrApologize(ctx, req, message, { ...address, methods })
      : { ...overloaded(message), outcome: Outcome.FAILED }
    if (isToolCall(message)) toolCalls.inc({ outcome: answer.outcome === Outcome.FAILED ? 'failed' : 'answered' })
    sendAnswer(res, answer)
  }
}

/** Answers 401 before a POST is refused for its type or body, since clients learn from that challenge how to sign in. */
export function rejectUnauthenticated(ctx: Context, address: McpAddress): RequestHandler {
  return async (req, res, next) => {
    if (!ctx.loadShedder.admits(res)) return sendAnswer(res, overloaded(UNREAD))
    try {
      const { refusal } = await answerInTime(identify(ctx, req, UNREAD, address))
      // Several credentials are a wrong request, too, and the other fault is reported first.
      if (refusal === undefined || refusal.status === 400) return next()
      sendAnswer(res, refusal)
    } catch {
      // The credential cannot be checked now; the request is wrong either way.
      next()
    }
  }
}

export type McpAddress = {
  metadataUrl: string
  /** The Origin that may use the session cookie; undefined where cookies do not count. */
  cookieOrigin: string | undefined
}

type Endpoint = McpAddress & { methods: ReturnType<typeof familyMethods> }

async function answerOrApologize(
  ctx: Context,
  req: HttpRequest,
  message: Message,
  endpoint: Endpoint,
): Promise<Answer> {
  try {
    return await answerInTime(answerPost(ctx, req, message, endpoint))
  } catch (error) {
    ctx.logger.error(describeError(error), 'tool call failed')
    return { ...retryLater(message), outcome: Outcome.FAILED }
  }
}

async function answerPost(ctx: Context, req: HttpRequest, message: Message, address: Endpoint): Promise<Answer> {
  const startedAt = new Date()
  const started = performance.now()
  const identified = await identify(ctx, req, message, address)
  const answer = identified.refusal ?? (await answerCaller(ctx, message, { ...identified, ...address }))
  const { caller } = identified
  if (caller !== undefined && isToolCall(message)) {
    const durationUs = Math.round((performance.now() - started) * 1000)
    await record(ctx, message, caller, {
      startedAt,
      durationUs,
      outcome: answer.outcome ?? Outcome.REFUSED,
      message: answer.message,
    })
  }
  return answer
}

function isToolCall(message: Message): message is Request {
  return message.kind === 'request' && message.method === 'tools/call'
}

type Identified = { refusal: undefined; caller: Caller; clientAddress: string }
/** The call is recorded if its credential is known. */
type Refused = { refusal: Answer; caller?: Caller | undefined }

/** The caller, or the answer that they get instead. Spends a call of theirs. */
async function identify(
  ctx: Context,
  req: HttpRequest,
  asked: Asked,
  { metadataUrl, cookieOrigin }: McpAddress,
): Promise<Identified | Refused> {
  const credential = findCredential(req.headersDistinct, cookieOrigin)
  if (credential === 'none' || credential === 'malformed')
    return { refusal: unauthorized(asked, metadataUrl, credential === 'malformed') }
  if (credential === 'ambiguous')
    return { refusal: badRequest(asked, code.invalidRequest, 'Send exactly one Authorization header.') }
  const client = clientOf(req, ctx.config.trustedProxies, credential.value)
  const waitSec = ctx.rateLimit.secondsToWait(client)
  if (waitSec > 0) return { refusal: rateLimited(asked, waitSec) }

  const clientAddress = clientAddressOf(req, ctx.config.trustedProxies)
  const { admission, caller, retryAfterSec } = await ctx.authenticate({ ...credential, clientAddress })
  const isKnown = admission === Admission.LIMITED || (admission === Admission.ADMITTED && caller !== undefined)
  ctx.rateLimit.settle(client, isKnown)
  if (admission === Admission.LIMITED)
    return { refusal: { ...rateLimited(asked, retryAfterSec), outcome: Outcome.RATE_LIMITED }, caller }
  if (admission === Admission.ADMITTED && caller !== undefined) return { refusal: undefined, caller, clientAddress }
  return { refusal: { ...unauthorized(asked, metadataUrl, true), outcome: Outcome.UNAUTHENTICATED }, caller }
}

type On = { caller: Caller; clientAddress: string } & Pick<Endpoint, 'metadataUrl' | 'methods'>

async function answerCaller(
  ctx: Context,
  message: Message,
  { caller, clientAddress, metadataUrl, methods }: On,
): Promise<Answer> {
  if (message.kind === 'notification') return { status: 202 }
  if (message.kind === 'malformed') return badRequest(message, message.code, message.message, message.data)
  return methods(message, { ctx, caller, metadataUrl, clientAddress })
}

/** SPEC "Every call is audited": of arguments and results, the record has only the ids of a message that was found. */
function record(
  ctx: Context,
  message: Request,
  caller: Caller,
  call: Pick<AuditEntry, 'startedAt' | 'durationUs' | 'outcome' | 'message'>,
): Promise<unknown> {
  const { personId, workspaceId, credentialId, kind } = caller
  const tool = recordedToolName(message)
  observeToolCall(tool, call.outcome, call.durationUs)
  return ctx.recordCall({ id: newId('call'), personId, workspaceId, credentialId, kind, tool, ...call })
}

function unauthorized(asked: Asked, metadataUrl: string, credentialSent: boolean): Answer {
  const message = credentialSent ? 'The credential is unknown or no longer valid.' : 'Authentication required.'
  return {
    status: 401,
    body: errorEnvelope(asked, code.unauthenticated, message),
    headers: { 'www-authenticate': unauthorizedChallenge(metadataUrl, credentialSent) },
  }
}

function badRequest(asked: Asked, errorCode: number, message: string, data?: object): Answer {
  return { status: 400, body: errorEnvelope(asked, errorCode, message, data) }
}

const seconds = durations({
  name: 'tool_call_seconds',
  help: 'Duration of family tool calls with a known credential, by tool and outcome.',
  labels: ['tool', 'outcome'],
})

/** Unlike the durations, it counts calls whose credential could not be checked: they fail while auth is away. */
const toolCalls = count({
  name: 'tool_calls_total',
  help: 'Family tool calls: answered, whatever the answer says, or failed on our side.',
  labels: ['outcome'],
  zero: [{ outcome: 'answered' }, { outcome: 'failed' }],
})

/** @param tool a name in the catalogue, or `unknown` */
function observeToolCall(tool: string, outcome: Outcome, durationUs: number): void {
  const ended = outcome.replace('OUTCOME_', '').toLowerCase()
  seconds.observe({ tool, outcome: ended }, durationUs / 1e6)
  setSpanAttributes({ 'gen_ai.tool.name': tool, 'family_inbox.outcome': ended })
}
