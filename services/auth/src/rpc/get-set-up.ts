import type { GetSetUpRequest, GetSetUpResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { SET_UP } from '../models/set-up-code.ts'
import { validCode } from '../sign-in/set-up.ts'

/** Where the operator never created a code, such as on a demo installation, nothing is open. */
export function getSetUp(ctx: Context): Handler<GetSetUpRequest, GetSetUpResponse> {
  return async (_request, call) => {
    requireService(call, 'site')
    if (!(await ctx.setUpCodes.exists({ _id: SET_UP }))) return { open: false, codeValid: false }
    const [{ found }, code] = await Promise.all([
      ctx.careCircle.hasWorkspace({}, { deadline: call.deadline }),
      ctx.setUpCodes.exists(validCode()),
    ])
    // A code that was given back may belong to a family that is there: its owner is not signed in yet.
    return { open: !found || code !== null, codeValid: code !== null }
  }
}
