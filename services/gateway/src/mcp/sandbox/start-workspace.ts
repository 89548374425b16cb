import type { StartWorkspaceResponse } from '@family-inbox/proto/sandbox/v1/sandbox'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../../context.ts'
import type { Answer } from '../answer.ts'
import { checkInput } from '../check-input.ts'
import type { Request } from '../read-message.ts'
import { rateLimited, retryLater } from '../refusals.ts'
import { errorResult, fromStatus, successResult } from '../tool-result.ts'
import type { RecentRefusals } from './recent-refusals.ts'
import { type StartInput, type StartResult, startTool } from './start-tool.ts'

const DRAFT_NOTE = 'Draft only: nothing was sent. The person who claims the workspace decides whether to send it.'

export type Start = {
  request: Request
  values: Record<string, unknown>
  clientAddress: string
  /** Milliseconds since 1970. */
  deadline: number
  refusals: RecentRefusals
}

export async function startWorkspace(ctx: Context, start: Start): Promise<Answer> {
  try {
    const input = await readArgumentsOrReport(ctx, start)
    const response = await unlessRefused(start, 'starts', () => open(ctx, start, input))
    const result = toResult(response)
    const lovedOneName = `${input.lovedOneFirstName.trim()} ${input.lovedOneLastName.trim()}`
    const summary = summarize(result, lovedOneName, ctx.config.urls.inbox)
    return { status: 200, body: successResult(start.request, result, { summary }) }
  } catch (error) {
    return refusal(start.request, error instanceof StatusError ? error : new StatusError('INTERNAL', ''))
  }
}

function open({ sandbox }: Context, { clientAddress, deadline }: Start, input: StartInput) {
  const { lovedOneFirstName, lovedOneLastName, familyName = '', primaryCaregiverEmail, careContext = '' } = input
  const { familyMemberEmails = [] } = input
  return sandbox.startWorkspace(
    {
      clientAddress,
      lovedOneFirstName,
      lovedOneLastName,
      familyName,
      primaryCaregiverEmail,
      careContext,
      familyMemberEmails,
    },
    { deadline },
  )
}

/** Reports refused arguments to the sandbox service, so that a flood of them is limited too. */
async function readArgumentsOrReport(ctx: Context, start: Start): Promise<StartInput> {
  const { values, clientAddress, deadline } = start
  try {
    return readArguments(values, ctx.config.urls.inbox)
  } catch (refused) {
    await unlessRefused(start, 'refused starts', () => ctx.sandbox.noteRefusedStart({ clientAddress }, { deadline }))
    throw refused
  }
}

/** Calls the sandbox service unless a cached refusal still holds. */
async function unlessRefused<T>(
  { clientAddress, refusals }: Start,
  bucket: 'starts' | 'refused starts',
  send: () => Promise<T>,
): Promise<T> {
  const key = `${bucket} ${clientAddress}`
  const retryAfterSec = refusals.find(key)
  if (retryAfterSec !== undefined) throw new StatusError('RESOURCE_EXHAUSTED', '', { retryAfterSec })
  try {
    return await send()
  } catch (error) {
    const isLimited = error instanceof StatusError && error.status === 'RESOURCE_EXHAUSTED'
    if (isLimited) refusals.remember(key, error.detail.retryAfterSec ?? 1)
    throw error
  }
}

function toResult({ inviteDrafts, expiresAt, ...response }: StartWorkspaceResponse): StartResult {
  const { workspaceId, lovedOneId, inboxAddress, familyName, primaryCaregiverEmail } = response
  return {
    workspaceId,
    lovedOneId,
    inboxAddress,
    familyName,
    inviteDrafts: inviteDrafts.map((email) => ({ email, role: 'caregiver', status: 'draft', note: DRAFT_NOTE })),
    sandbox: true,
    ...(primaryCaregiverEmail !== undefined && { primaryCaregiverEmail }),
    expiresAt: expiresAt?.toISOString() ?? '',
  }
}

function refusal(request: Request, error: StatusError): Answer {
  const kind = fromStatus[error.status]
  if (kind === 'retry') return retryLater(request)
  if (kind === 'tool') return { status: 200, body: errorResult(request, error.message) }
  const retryAfterSec = error.detail.retryAfterSec ?? 1
  return rateLimited(
    request,
    retryAfterSec,
    `Too many workspaces were started from your network. Wait ${retryAfterSec} seconds, then try once. Do not loop.`,
  )
}

/** Callers that want a real workspace learn first where to get one. @throws StatusError INVALID_ARGUMENT */
function readArguments(values: Record<string, unknown>, inboxUrl: string): StartInput {
  if (values.sandbox === true) return checkInput(startTool.input, values)
  throw invalidArgument(
    'sandbox',
    `sandbox must be true: this tool only creates sandbox workspaces. For a real family, a person signs in at ${inboxUrl}/sign-in. To create a sandbox, send sandbox: true.`,
  )
}

function summarize(result: StartResult, lovedOneName: string, inboxUrl: string): string {
  const { familyName, inboxAddress, inviteDrafts, primaryCaregiverEmail, expiresAt } = result
  const end = `${expiresAt.slice(0, 16).replace('T', ' ')} UTC`
  const claim =
    primaryCaregiverEmail === undefined
      ? `Nobody can claim this workspace, because you did not pass primaryCaregiverEmail. It is deleted with everything in it on ${end}. To create one that can be kept, call again with primaryCaregiverEmail.`
      : `To claim it, sign in at ${inboxUrl}/onboarding as ${primaryCaregiverEmail} before ${end}. Nobody else can. After that, it is deleted with everything in it.`
  const drafts =
    inviteDrafts.length === 0
      ? 'No mail was sent.'
      : `Invitations drafted: ${inviteDrafts.length}. No mail was sent. The person who claims the workspace decides which drafts to send.`
  return [
    `Sandbox workspace “${familyName}” is ready for ${lovedOneName}.`,
    `Inbox address: ${inboxAddress}. Mail that arrives there waits for the person who claims the workspace. You cannot read it here.`,
    claim,
    drafts,
  ].join('\n')
}
