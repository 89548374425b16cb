import type { CreateSetUpCodeRequest, CreateSetUpCodeResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import type { Context } from '../context.ts'
import { SET_UP } from '../models/set-up-code.ts'
import { hashRecoveryCode, newRecoveryCode } from '../passkeys/recovery-code.ts'

const LIFETIME_MS = DAY_MS

export function createSetUpCode(ctx: Context): Handler<CreateSetUpCodeRequest, CreateSetUpCodeResponse> {
  return async (_request, call) => {
    requireService(call, 'ops')
    const { found } = await ctx.careCircle.hasWorkspace({}, { deadline: call.deadline })
    if (found) throw isSetUp()
    const code = newRecoveryCode()
    const expiresAt = new Date(Date.now() + LIFETIME_MS)
    const hash = hashRecoveryCode(SET_UP, code)
    await ctx.setUpCodes.replaceOne({ _id: SET_UP }, { hash, tries: 0, expiresAt }, { upsert: true })
    return { code, expiresAt, url: `${ctx.config.urls.inbox}/set-up` }
  }
}

function isSetUp(): StatusError {
  return new StatusError(
    'FAILED_PRECONDITION',
    'There is a family here already, so there is nothing to set up. Its members invite others under Care circle.',
  )
}
