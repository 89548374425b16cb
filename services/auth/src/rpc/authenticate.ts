import {
  Admission,
  type AuthenticateRequest,
  type AuthenticateResponse,
  type AuthenticateResult,
  type Credential,
  CredentialKind,
} from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { admitAccessTokens, admitSessions, admitToolKeys } from '../admission/admit.ts'
import { type Admitted, GATEWAY } from '../admission/spend-calls.ts'
import type { Context } from '../context.ts'

/** DESIGN: "at most 60 calls in any 60 seconds". */
export function authenticate(ctx: Context): Handler<AuthenticateRequest, AuthenticateResponse> {
  return async ({ credentials }, call) => {
    requireService(call, GATEWAY)
    const byKind = [...Map.groupBy(credentials, ({ kind }) => kind)]
    const admitted = await Promise.all(byKind.map(([kind, some]) => ADMIT[kind](ctx, some)))
    const results = new Map(admitted.flatMap((some) => [...some]))
    return { results: credentials.map((credential) => results.get(credential) ?? UNKNOWN) }
  }
}

const UNKNOWN: AuthenticateResult = { admission: Admission.UNKNOWN_CREDENTIAL, caller: undefined, retryAfterSec: 0 }

type Admit = (ctx: Context, credentials: Credential[]) => Promise<Admitted>

const admitNone: Admit = async () => new Map()

const ADMIT: Record<Credential['kind'], Admit> = {
  [CredentialKind.TOOL_KEY]: admitToolKeys,
  [CredentialKind.SESSION]: admitSessions,
  [CredentialKind.ACCESS_TOKEN]: admitAccessTokens,
  [CredentialKind.PERSON]: admitNone,
  [CredentialKind.UNSPECIFIED]: admitNone,
  [CredentialKind.UNRECOGNIZED]: admitNone,
}
