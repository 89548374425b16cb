import type { AskForPasskeysRequest, AskForPasskeysResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { changeWorkspace, requireOwner, requireStillOwner } from '../workspace/change-workspace.ts'

/** A request to the members: nobody is locked out by it. */
export function askForPasskeys(ctx: Context): Handler<AskForPasskeysRequest, AskForPasskeysResponse> {
  return async ({ passkeysAsked }, call) => {
    const caller = await requireOwner(ctx, call)
    requirePerson(call)
    const { workspaceId } = caller
    await changeWorkspace(ctx, workspaceId, call.deadline, async (session) => {
      await requireStillOwner(ctx, caller, session)
      await ctx.workspaces.updateOne({ _id: workspaceId }, { $set: { passkeysAsked } }, { session })
    })
    crashPoint('passkeys-asked')
    return {}
  }
}
