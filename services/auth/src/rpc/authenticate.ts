import {
  Admission,
  type AuthenticateRequest,
  type AuthenticateResponse,
  type AuthenticateResult,
  type Credential,
  CredentialKind,
} from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { admitAccessToken, admitSession, admitToolKey } from '../admission/admit.ts'
import { GATEWAY } from '../admission/spend-call.ts'
import type { Context } from '../context.ts'

/** DESIGN: "at most 60 calls in any 60 seconds". */
export function authenticate(ctx: Context): Handler<AuthenticateRequest, AuthenticateResponse> {
  return async (request, call) => {
    requireService(call, GATEWAY)
    const admit = ({ kind, value, clientAddress = '' }: Credential) => ADMIT[kind](ctx, value, clientAddress)
    return { results: await Promise.all(request.credentials.map(admit)) }
  }
}

type Admit = (ctx: Context, value: string, clientAddress: string) => Promise<AuthenticateResult>

const admitNone: Admit = async () => ({
  admission: Admission.UNKNOWN_CREDENTIAL,
  caller: undefined,
  retryAfterSec: 0,
})

const ADMIT: Record<Credential['kind'], Admit> = {
  [CredentialKind.TOOL_KEY]: admitToolKey,
  [CredentialKind.SESSION]: admitSession,
  [CredentialKind.ACCESS_TOKEN]: admitAccessToken,
  [CredentialKind.UNSPECIFIED]: admitNone,
  [CredentialKind.UNRECOGNIZED]: admitNone,
}
