import type { RevokeSecretRequest, RevokeSecretResponse } from '@family-inbox/proto/pipe/v1/pipe'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { changeSecrets, withRevocation } from '../change-secrets.ts'
import type { Context } from '../context.ts'

export function revokeSecret(ctx: Context): Handler<RevokeSecretRequest, RevokeSecretResponse> {
  return async ({ institutionId, secretId }, call) => {
    requireService(call, 'ops')
    const now = new Date()
    await changeSecrets(ctx, institutionId, now, ({ secrets }) => withRevocation(secrets, secretId, now))
    return {}
  }
}
