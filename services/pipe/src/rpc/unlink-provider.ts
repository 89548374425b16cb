import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { UnlinkProviderRequest, UnlinkProviderResponse } from '@family-inbox/proto/pipe/v1/pipe'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requireRecentSignIn } from '@family-inbox/service-kit/rpc/recent-sign-in'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { purgeLink, tombstoneLink } from '../purge.ts'

/** No event is accepted or shown once this returns. The sweeper finishes the deletion. */
export function unlinkProvider(ctx: Context): Handler<UnlinkProviderRequest, UnlinkProviderResponse> {
  return async ({ linkId }, call) => {
    const { workspaceId, role } = await ctx.requireMember(call)
    if (role !== Role.OWNER)
      throw new StatusError('PERMISSION_DENIED', 'Only the owner can unlink a care agency. Ask them.')
    requireRecentSignIn(call)
    const link = await tombstoneLink(ctx, { _id: linkId, workspaceId })
    if (link !== null) await tryPurge(ctx, link)
    else if (!(await ctx.links.exists({ _id: linkId, workspaceId }))) throw linkNotFound()
    return {}
  }
}

async function tryPurge(ctx: Context, link: Parameters<typeof purgeLink>[1]): Promise<void> {
  try {
    await purgeLink(ctx, link)
  } catch (error) {
    ctx.logger.warn(describeError(error), 'the events of an unlinked agency could not all be deleted; will retry')
    ctx.wake.purges()
  }
}

function linkNotFound(): StatusError {
  return new StatusError('NOT_FOUND', 'Your family has no linked agency with this linkId.', { field: 'linkId' })
}
