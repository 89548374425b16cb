import type { RotateSecretRequest, RotateSecretResponse } from '@family-inbox/proto/pipe/v1/pipe'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { DAY_SEC } from '@family-inbox/service-kit/time/days'
import { changeSecrets, newSecret, withRotation } from '../change-secrets.ts'
import type { Context } from '../context.ts'

const MAX_OVERLAP_SEC = 90 * DAY_SEC

/** The new secret is in this response and nowhere else. The previous one expires after the overlap. */
export function rotateSecret(ctx: Context): Handler<RotateSecretRequest, RotateSecretResponse> {
  return async ({ institutionId, overlapSec }, call) => {
    requireService(call, 'ops')
    const overlapMs = readOverlap(overlapSec) ?? ctx.config.secretOverlapMs
    const now = new Date()
    const { secret, row } = newSecret(ctx.secretBox, { _id: institutionId }, now)
    await changeSecrets(ctx, institutionId, now, ({ secrets }) => withRotation(secrets, row, overlapMs, now))
    return { secret, secretId: row.id, previousExpiresAt: new Date(now.getTime() + overlapMs) }
  }
}

function readOverlap(seconds: number): number | undefined {
  if (seconds === 0) return undefined
  if (seconds > 0 && seconds <= MAX_OVERLAP_SEC) return seconds * 1000
  throw invalidArgument('overlap', 'overlap must be from 1 second to 90 days.')
}
