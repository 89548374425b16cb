import { Outcome } from '@family-inbox/proto/auth/v1/auth'
import { raceDeadline } from '@family-inbox/service-kit/rpc/deadline'
import { needsRecentSignIn } from '@family-inbox/service-kit/rpc/recent-sign-in'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { formatWait } from '@family-inbox/service-kit/text/format-wait'
import { code, errorEnvelope } from '../../json-rpc/envelope.ts'
import { isObject } from '../../json-rpc/parse-request.ts'
import type { Answer } from '../answer.ts'
import { checkInput } from '../check-input.ts'
import type { Request } from '../read-message.ts'
import { insufficientScopeChallenge, retryLater } from '../refusals.ts'
import { errorResult, fromStatus, successResult } from '../tool-result.ts'
import { askPerson } from './ask-person.ts'
import { WAITING } from './fields/proposal-fields.ts'
import { tools } from './tools/index.ts'
import type { FamilyCall, Tool, ToolCall } from './tools/tool.ts'

/** Leaves time within two seconds to record the call. */
const BUDGET_MS = 1500

/** An error that a model reads. A 401 or 403 would send its client through sign-in again and again. */
const PAUSED =
  'You are paused, so nothing was done. Only the person you act for can resume you, in the application under Settings, Your assistants. Do not try again before they tell you.'

/** Only sessions, which no client but the application has. */
const CONFIRM_FIRST =
  'The person you act for signed in a while ago, so nothing was done. They can do this in the application, where they confirm that it is them.'

const toolByName = new Map(tools.map((tool) => [tool.name, tool]))

/** The service that owns the data checks the membership on every call. */
export async function callTool(
  request: Request,
  { ctx, caller, metadataUrl, clientAddress }: FamilyCall,
): Promise<Answer> {
  const { name } = request.params
  const values = request.params.arguments ?? {}
  const tool = typeof name === 'string' ? toolByName.get(name) : undefined
  if (tool === undefined) return invalidParams(request, 'Unknown tool. Call tools/list for the names.')
  if (!isObject(values)) return invalidParams(request, 'arguments must be an object.')
  if (caller.paused) return refusal(request, new StatusError('PERMISSION_DENIED', PAUSED))
  const deadline = Date.now() + BUDGET_MS
  let message: Answer['message']
  const recordMessage: ToolCall['recordMessage'] = (one) => {
    message = one
  }
  const call: ToolCall = { ctx, caller, clientAddress, on: { token: caller.principal, deadline }, recordMessage }
  try {
    if (!isWithinScopes(tool, caller)) {
      // More consent would not help a viewer, so answer with the role instead (INTEROP A7).
      if (tool.kind === 'write')
        await raceDeadline(ctx.requireMember(call.on, { write: true, proposes: tool.proposes ?? false }), deadline)
      return insufficientScope(request, tool, caller, metadataUrl)
    }
    const answer = await raceDeadline(run(request, tool, values, call), deadline)
    return { ...answer, ...(message && { message }) }
  } catch (error) {
    return refusal(request, error instanceof StatusError ? error : new StatusError('INTERNAL', ''))
  }
}

async function run(request: Request, tool: Tool, values: Record<string, unknown>, call: ToolCall): Promise<Answer> {
  const confirmed = await askPerson(request, tool, checkInput(tool.input, values), call)
  if ('answer' in confirmed) return confirmed.answer
  const data = await tool.call(confirmed.input, call)
  const body = successResult(request, data, { untrusted: untrustedFields(tool, data) })
  return { status: 200, body, outcome: tool.proposes && data.status === WAITING ? Outcome.APPROVAL_ASKED : Outcome.OK }
}

/** Keeps the fields of outsiders that this result has: an empty list holds none. */
export function untrustedFields({ untrusted = [] }: Tool, data: Record<string, unknown>): string[] | undefined {
  const fields = untrusted.flatMap((field) => {
    const name = field.replace('?', '')
    const [top = '', inner] = name.split('[].')
    const value = data[top]
    const isThere = (one: unknown) => name === field || one !== undefined
    if (inner === undefined) return isThere(value) ? name : []
    return Array.isArray(value) && value.some((one: Record<string, unknown>) => isThere(one[inner])) ? name : []
  })
  return fields.length > 0 ? fields : undefined
}

/** The name for the audit: a catalogue name or `unknown`, never the caller's text. */
export function recordedToolName(request: Request): string {
  const { name } = request.params
  return typeof name === 'string' && toolByName.has(name) ? name : 'unknown'
}

/** auth decides whether scopes bind: they bind access tokens, and not yet tool keys. */
function isWithinScopes(tool: Tool, caller: FamilyCall['caller']): boolean {
  return tool.scope === undefined || !caller.scopesEnforced || caller.scopes.includes(tool.scope)
}

function invalidParams(request: Request, message: string): Answer {
  return { status: 200, body: errorEnvelope(request, code.invalidParams, message), outcome: Outcome.REFUSED }
}

function insufficientScope(request: Request, tool: Tool, caller: FamilyCall['caller'], metadataUrl: string): Answer {
  const needed = String(tool.scope)
  const message = `This tool needs the scope ${needed}, which was not granted. Ask the person to authorize it.`
  return {
    status: 403,
    body: errorEnvelope(request, code.insufficientScope, message, { reason: 'insufficient_scope', scope: needed }),
    headers: { 'www-authenticate': insufficientScopeChallenge(metadataUrl, caller.scopes, needed) },
    outcome: Outcome.INSUFFICIENT_SCOPE,
  }
}

function refusal(request: Request, error: StatusError): Answer {
  if (needsRecentSignIn(error)) return refusal(request, new StatusError('PERMISSION_DENIED', CONFIRM_FIRST))
  const kind = fromStatus[error.status]
  if (kind === 'retry') return { ...retryLater(request), outcome: Outcome.FAILED }
  const { retryAfterSec } = error.detail
  const retryHint = retryAfterSec ? ` Try again in ${formatWait(retryAfterSec)}.` : ''
  return {
    status: 200,
    body: errorResult(request, `${error.message}${retryHint}`),
    outcome: Outcome.REFUSED,
  }
}
