import type { StartWorkspaceRequest, StartWorkspaceResponse } from '@family-inbox/proto/sandbox/v1/sandbox'
import { clientNetwork } from '@family-inbox/service-kit/http/client-network'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { createBatcher } from '@family-inbox/service-kit/rpc/batch'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { requireOn } from '../require-on.ts'
import {
  createSandboxes,
  newSandbox,
  notCreated,
  type OpenSandbox,
  type PendingSandbox,
} from '../sandboxes/create-sandboxes.ts'
import { readStartRequest, type StartRequest } from '../start-request.ts'
import { refundToken, spendToken } from '../token-bucket.ts'

const MAX_BATCH = 32
/** About as many as can be created before a caller times out. */
const MAX_CONCURRENT = 128

/** SPEC "Public sandbox endpoint". A start that fails on our side gets its token back. Nobody is emailed. */
export function startWorkspace(ctx: Context): Handler<StartWorkspaceRequest, StartWorkspaceResponse> {
  const limit = limitConcurrency(MAX_CONCURRENT)
  const create = createBatcher((pending: PendingSandbox[]) => createSandboxes(ctx, pending), { maxItems: MAX_BATCH })

  async function createOne(startRequest: StartRequest, deadline: number): Promise<OpenSandbox> {
    const sandbox = await create({ sandbox: newSandbox(ctx, startRequest), deadline })
    if (sandbox === undefined) throw notCreated()
    return sandbox
  }

  return async (request, call) => {
    requireService(call, 'gateway')
    await requireOn(ctx)
    const network = clientNetwork(request.clientAddress)
    const startRequest = await readOrCountRefusal(ctx, request, network)
    return limit(async () => {
      await spendToken(ctx, 'starts', network)
      const sandbox = await orRefund(ctx, network, createOne(startRequest, call.deadline))
      ctx.opsNotifications.started(sandbox)
      return toResponse(sandbox, startRequest)
    })
  }
}

async function readOrCountRefusal(
  ctx: Context,
  request: StartWorkspaceRequest,
  network: string,
): Promise<StartRequest> {
  try {
    return readStartRequest(request)
  } catch (error) {
    await spendToken(ctx, 'refused starts', network)
    throw error
  }
}

async function orRefund<T>(ctx: Context, network: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    await refundToken(ctx, network).catch((failure) => ctx.logger.warn(describeError(failure), 'token not refunded'))
    throw error
  }
}

function toResponse(sandbox: OpenSandbox, { primaryCaregiverEmail }: StartRequest): StartWorkspaceResponse {
  const { _id, lovedOneId, inboxAddress, familyName, inviteDrafts, expiresAt } = sandbox
  return { workspaceId: _id, lovedOneId, inboxAddress, familyName, primaryCaregiverEmail, inviteDrafts, expiresAt }
}

/** Calls over the limit fail immediately instead of timing out. */
export function limitConcurrency(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  return async (work) => {
    if (running >= limit)
      throw new StatusError('UNAVAILABLE', 'Too many requests at the moment. Try again in a moment.')
    running += 1
    try {
      return await work()
    } finally {
      running -= 1
    }
  }
}
