import type { StartWorkspaceResponse } from '@family-inbox/proto/sandbox/v1/sandbox'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../../context.ts'
import { resultEnvelope } from '../../json-rpc/envelope.ts'
import type { Answer } from '../answer.ts'
import { checkInput } from '../family/check-input.ts'
import { rateLimited, retryLater } from '../refusals.ts'
import { errorResult, fromStatus, successResult } from '../tool-result.ts'
import type { RecentRefusals } from './recent-refusals.ts'
import { type StartInput, type StartResult, startTool } from './start-tool.ts'

export type Start = {
  /** The request's id as JSON text. */
  id: string
  values: Record<string, unknown>
  clientAddress: string
  /** Milliseconds since 1970. */
  deadline: number
  refusals: RecentRefusals
}

/** Opens a workspace: arguments, then the network's bucket, then the workspace itself, which the sandbox service makes. */
export async function startWorkspace(ctx: Context, start: Start): Promise<Answer> {
  try {
    const input = await readCounted(ctx, start)
    const response = await admitted(start, 'starts', () => open(ctx, start, input))
    const result = toResult(response)
    const lovedOneName = `${input.lovedOneFirstName.trim()} ${input.lovedOneLastName.trim()}`
    const summary = summarize(result, lovedOneName, ctx.config.urls.inbox)
    return { status: 200, body: resultEnvelope(start.id, successResult(result, { summary })) }
  } catch (error) {
    return refusal(start.id, error instanceof StatusError ? error : new StatusError('INTERNAL', ''))
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

/** Arguments that are refused here are counted there, so that a flood of them ends like any other. */
async function readCounted(ctx: Context, start: Start): Promise<StartInput> {
  const { values, clientAddress, deadline } = start
  try {
    return readArguments(values, ctx.config.urls.inbox)
  } catch (refused) {
    await admitted(start, 'refused starts', () => ctx.sandbox.noteRefusedStart({ clientAddress }, { deadline }))
    throw refused
  }
}

/** Asks unless the answer is known to be "not yet". */
async function admitted<T>(
  { clientAddress, refusals }: Start,
  bucket: 'starts' | 'refused starts',
  ask: () => Promise<T>,
): Promise<T> {
  const key = `${bucket} ${clientAddress}`
  const retryAfterSec = refusals.find(key)
  if (retryAfterSec !== undefined) throw new StatusError('RESOURCE_EXHAUSTED', '', { retryAfterSec })
  try {
    return await ask()
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

function refusal(id: string, error: StatusError): Answer {
  const kind = fromStatus[error.status]
  if (kind === 'retry') return retryLater(id)
  if (kind === 'tool') return { status: 200, body: resultEnvelope(id, errorResult(error.message)) }
  const retryAfterSec = error.detail.retryAfterSec ?? 1
  return rateLimited(
    id,
    retryAfterSec,
    `Too many workspaces were started from your network. Wait ${retryAfterSec} seconds, then try once more; do not loop.`,
  )
}

/**
 * Holds the arguments against their types. Whoever does not want a sandbox is told first where the real thing begins.
 * @throws StatusError INVALID_ARGUMENT naming the field
 */
function readArguments(values: Record<string, unknown>, inboxUrl: string): StartInput {
  if (values.sandbox === true) return checkInput(startTool.input, values)
  throw invalidArgument(
    'sandbox',
    `sandbox must be true: only sandbox workspaces are opened here. For a real household a person signs in at ${inboxUrl}/sign-in. To open a sandbox, send sandbox: true.`,
  )
}

const DRAFT_NOTE =
  'Draft only: nothing was sent. It becomes an invitation if the person who claims the workspace chooses so.'

/** What was made, for people: how to claim it and until when, or that nobody can. */
function summarize(result: StartResult, lovedOneName: string, inboxUrl: string): string {
  const { familyName, inboxAddress, inviteDrafts, primaryCaregiverEmail, expiresAt } = result
  const end = `${expiresAt.slice(0, 16).replace('T', ' ')} UTC`
  const claim =
    primaryCaregiverEmail === undefined
      ? `Nobody can claim this workspace, because no primaryCaregiverEmail was given. It is removed with all that is in it on ${end}. To have one that can be kept, start another with primaryCaregiverEmail.`
      : `To claim it, sign in at ${inboxUrl}/onboarding as ${primaryCaregiverEmail} before ${end}. Nobody else can. If nobody does, it is removed then with all that is in it.`
  const drafts =
    inviteDrafts.length === 0
      ? 'No mail of any kind was sent.'
      : `Invitations drafted: ${inviteDrafts.length}. No mail of any kind was sent; whoever claims the workspace decides which drafts become invitations.`
  return [
    `Sandbox workspace “${familyName}” is open for ${lovedOneName}.`,
    `Inbox address: ${inboxAddress}. Mail that arrives there waits for whoever claims the workspace, and cannot be read here.`,
    claim,
    drafts,
  ].join('\n')
}
