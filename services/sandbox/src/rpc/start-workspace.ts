import type { StartWorkspaceRequest, StartWorkspaceResponse } from '@family-inbox/proto/sandbox/v1/sandbox'
import { clientNetwork } from '@family-inbox/service-kit/http/client-network'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { createBatcher } from '@family-inbox/service-kit/rpc/batch'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { giveTokenBack, spendToken } from '../admission/token-bucket.ts'
import { createWaitingRoom } from '../admission/waiting-room.ts'
import type { Context } from '../context.ts'
import { type Making, makeSandboxes, newSandbox, notMade, type OpenSandbox } from '../sandboxes/make-sandboxes.ts'
import { readStartRequest, type StartRequest } from '../start-request/read-start-request.ts'

/** Durable writes cost about the same for one sandbox as for so many. */
const MOST_AT_ONCE = 32
/** Starts that may wait for one another; as many as are made in the time an agent waits for its answer. */
const MOST_WAITING = 128

/**
 * Opens a sandbox workspace (SPEC "Public sandbox endpoint"). A start that is refused for its arguments spends no token but
 * counts against another limit; one that fails on our side gets its token back. Nobody is ever mailed.
 */
export function startWorkspace(ctx: Context): Handler<StartWorkspaceRequest, StartWorkspaceResponse> {
  const admit = createWaitingRoom(MOST_WAITING)
  const make = createBatcher((makings: Making[]) => makeSandboxes(ctx, makings), { maxItems: MOST_AT_ONCE })

  async function makeOne(startRequest: StartRequest, deadline: number): Promise<OpenSandbox> {
    const sandbox = await make({ sandbox: newSandbox(ctx, startRequest), deadline })
    if (sandbox === undefined) throw notMade()
    return sandbox
  }

  return async (request, call) => {
    requireService(call, 'gateway')
    const network = clientNetwork(request.clientAddress)
    const startRequest = await readCounted(ctx, request, network)
    return admit(async () => {
      await spendToken(ctx, 'starts', network)
      const sandbox = await orGiveBack(ctx, network, makeOne(startRequest, call.deadline))
      ctx.opsNotifications.started(sandbox)
      return toResponse(sandbox, startRequest)
    })
  }
}

async function readCounted(ctx: Context, request: StartWorkspaceRequest, network: string): Promise<StartRequest> {
  try {
    return readStartRequest(request)
  } catch (error) {
    await spendToken(ctx, 'refused starts', network)
    throw error
  }
}

async function orGiveBack<T>(ctx: Context, network: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    await giveTokenBack(ctx, network).catch((failure) =>
      ctx.logger.warn(describeError(failure), 'a token could not be given back'),
    )
    throw error
  }
}

function toResponse(sandbox: OpenSandbox, { primaryCaregiverEmail }: StartRequest): StartWorkspaceResponse {
  const { _id, lovedOneId, inboxAddress, familyName, inviteDrafts, expiresAt } = sandbox
  return { workspaceId: _id, lovedOneId, inboxAddress, familyName, primaryCaregiverEmail, inviteDrafts, expiresAt }
}
