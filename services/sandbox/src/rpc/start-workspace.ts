import type { StartWorkspaceRequest, StartWorkspaceResponse } from '@family-inbox/proto/sandbox/v1/sandbox'
import { clientNetwork } from '@family-inbox/service-kit/client-network'
import { describeError } from '@family-inbox/service-kit/logger'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { giveTokenBack, spendToken } from '../admission/spend-token.ts'
import type { Context } from '../context.ts'
import { makeSandbox, type OpenSandbox } from '../life/make-sandbox.ts'
import { readWish, type Wish } from '../wish/read-wish.ts'

/**
 * Opens a sandbox workspace (SPEC "Public sandbox endpoint"). A start that is refused for its arguments spends no token but
 * counts against another limit; one that fails on our side gets its token back. Nobody is ever mailed.
 */
export function startWorkspace(ctx: Context): Handler<StartWorkspaceRequest, StartWorkspaceResponse> {
  return async (request, call) => {
    requireService(call, 'gateway')
    const network = clientNetwork(request.clientAddress)
    const wish = await readCounted(ctx, request, network)
    await spendToken(ctx, 'starts', network)
    const sandbox = await orGiveBack(ctx, network, makeSandbox(ctx, wish, call.deadline))
    ctx.opsNotices.started(sandbox)
    return toResponse(sandbox, wish)
  }
}

async function readCounted(ctx: Context, request: StartWorkspaceRequest, network: string): Promise<Wish> {
  try {
    return readWish(request)
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

function toResponse(sandbox: OpenSandbox, { primaryCaregiverEmail }: Wish): StartWorkspaceResponse {
  const { _id, lovedOneId, inboxAddress, familyName, inviteDrafts, expiresAt } = sandbox
  return { workspaceId: _id, lovedOneId, inboxAddress, familyName, primaryCaregiverEmail, inviteDrafts, expiresAt }
}
