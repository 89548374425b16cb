import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { Outcome } from '@family-inbox/proto/auth/v1/auth'
import { resultEnvelope } from '../../json-rpc/envelope.ts'
import { isObject } from '../../json-rpc/parse-request.ts'
import type { Answer } from '../answer.ts'
import type { Request } from '../read-message.ts'
import { errorResult } from '../tool-result.ts'
import type { Tool, ToolCall } from './tools/tool.ts'

const LIFETIME_MS = 10 * 60 * 1000
/** Our name for the one input request. */
const CONFIRM = 'confirm'

type Input = Record<string, unknown>

/** MCP 2026-07-28 "Multi Round-Trip Requests". Nothing is stored: the state that comes back is signed. */
export async function askPerson(
  request: Request,
  tool: Tool,
  input: Input,
  call: ToolCall,
): Promise<{ input: Input } | { answer: Answer }> {
  if (tool.confirmation === undefined || !canShowForm(request.capabilities)) return { input }
  await call.ctx.requireMember(call.on, { write: true, proposes: tool.proposes ?? false })
  const confirmation = await tool.confirmation(input, call)
  const { requestState, inputResponses } = request.params
  const response = isObject(inputResponses) ? inputResponses[CONFIRM] : undefined
  const sign = signer(call, tool.name, confirmation)
  if (typeof requestState !== 'string' || !isObject(response))
    return { answer: ask(request, confirmation.question, sign) }
  const nonce = readState(requestState, sign)
  if (nonce === undefined) return { answer: refuse(request, STALE) }
  if (response.action !== 'accept') return { answer: refuse(request, DECLINED) }
  // The key makes the same confirmation take effect once, however often it is sent.
  return { input: { ...confirmation.input, idempotencyKey: confirmation.input.idempotencyKey ?? `confirmed-${nonce}` } }
}

const STALE =
  'Nothing was done: this confirmation is for another call, or older than ten minutes. Call the tool again without requestState.'
const DECLINED = 'Nothing was done: the person did not confirm. Ask them what to change.'

/** An empty capability means forms (MCP 2026-07-28 "Elicitation"). */
function canShowForm({ elicitation }: Record<string, unknown>): boolean {
  return isObject(elicitation) && (isObject(elicitation.form) || elicitation.url === undefined)
}

function ask(request: Request, message: string, sign: Sign): Answer {
  const expires = String(Date.now() + LIFETIME_MS)
  const nonce = randomBytes(16).toString('base64url')
  const params = { mode: 'form', message, requestedSchema: { type: 'object', properties: {} } }
  const result = JSON.stringify({
    inputRequests: { [CONFIRM]: { method: 'elicitation/create', params } },
    requestState: `${expires}.${nonce}.${sign(expires, nonce).toString('base64url')}`,
  })
  const body = resultEnvelope(request, result, { type: 'input_required' })
  return { status: 200, body, outcome: Outcome.CONFIRMATION_ASKED }
}

/** @returns the nonce, or undefined when the state was changed, is for something else, or is too old */
function readState(state: string, sign: Sign): string | undefined {
  const [expires = '', nonce = '', signature = ''] = state.split('.')
  const expected = sign(expires, nonce)
  const given = Buffer.from(signature, 'base64url')
  const isSigned = given.length === expected.length && timingSafeEqual(given, expected)
  return isSigned && Number(expires) > Date.now() ? nonce : undefined
}

type Sign = (expires: string, nonce: string) => Buffer

/** Signs for one caller, one tool, and everything the person was shown and will be done. */
function signer(
  { ctx, caller }: ToolCall,
  tool: string,
  { question, input }: { question: string; input: Input },
): Sign {
  const { d } = ctx.config.serviceKey
  const key = Buffer.from(hkdfSync('sha256', Buffer.from(d, 'base64url'), '', 'confirmation', 32))
  const { personId, workspaceId, credentialId } = caller
  return (expires, nonce) =>
    createHmac('sha256', key)
      .update(JSON.stringify([expires, nonce, personId, workspaceId, credentialId, tool, question, input]))
      .digest()
}

function refuse(request: Request, message: string): Answer {
  return { status: 200, body: errorResult(request, message), outcome: Outcome.REFUSED }
}
