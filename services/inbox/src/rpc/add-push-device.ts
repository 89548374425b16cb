import type { AddPushDeviceRequest, AddPushDeviceResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { optionalLine } from '@family-inbox/service-kit/rpc/text-rules'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { pushDeviceId } from '../models/push-device.ts'
import { isPushService } from '../notifying/send-push.ts'

const MOST_DEVICES = 10
const MAX_ENDPOINT = 1000
const MAX_BROWSER = 100
/** An uncompressed point of P-256, and a secret of 16 bytes (RFC 8291 section 3.2), base64url. */
const POINT = /^B[\w-]{86}$/
const SECRET = /^[\w-]{22}$/

/** For viewers, too. @throws StatusError INVALID_ARGUMENT, or FAILED_PRECONDITION for too many devices */
export function addPushDevice(ctx: Context): Handler<AddPushDeviceRequest, AddPushDeviceResponse> {
  return async ({ endpoint, p256dh, auth, browser }, call) => {
    const { workspaceId, personId } = await ctx.requireMember(call)
    requirePerson(call)
    const { email = '' } = requirePrincipal(call)
    if (endpoint.length > MAX_ENDPOINT || !isPushService(endpoint, ctx.config.pushServices))
      throw invalidArgument('endpoint', 'This browser’s push service is not known here.')
    if (!POINT.test(p256dh)) throw invalidArgument('p256dh', 'p256dh must be a public key of P-256 in base64url.')
    if (!SECRET.test(auth)) throw invalidArgument('auth', 'auth must be 16 bytes in base64url.')
    const _id = pushDeviceId(workspaceId, endpoint)
    const others = await ctx.push.devices.countDocuments({ workspaceId, personId, _id: { $ne: _id } })
    if (others >= MOST_DEVICES)
      throw new StatusError('FAILED_PRECONDITION', 'You have ten devices with notifications. Turn one off first.')
    const row = {
      workspaceId,
      personId,
      email,
      endpoint,
      p256dh,
      auth,
      browser: optionalLine('browser', browser, MAX_BROWSER),
    }
    await ctx.push.devices.updateOne({ _id }, { $set: row, $setOnInsert: { addedAt: new Date() } }, { upsert: true })
    return {}
  }
}
