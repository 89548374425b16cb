import { createHash } from 'node:crypto'
import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import webPush from 'web-push'
import type { Context } from '../context.ts'
import type { PushDevice } from '../models/push-device.ts'

type Words = { body: string; urgency: webPush.Urgency }

/** Pushes have no content: a lock screen is read by others. */
const WORDS: Partial<Record<MailKind, Words>> = {
  [MailKind.NEW_MAIL]: { body: 'Something new in your family’s inbox.', urgency: 'normal' },
  [MailKind.APPOINTMENT]: { body: 'An appointment needs a look.', urgency: 'normal' },
  [MailKind.URGENT_EVENT]: { body: 'Urgent: please look at the timeline.', urgency: 'high' },
}
const TTL_SEC = 86_400
const TIMEOUT_MS = 3000
/** RFC 8030 section 5.4: at most 32 characters of base64url. */
const TOPIC_LENGTH = 32
/** The subscription has ended (RFC 8030 section 7.3), or was made for another key. */
const ENDED = new Set([403, 404, 410])

/** Pushes beside a mail that has just left. The mail is what is certain: a push is tried once, and its failure keeps nothing up. */
export async function pushBeside(ctx: Context, mail: OutgoingMail): Promise<void> {
  const words = WORDS[mail.kind]
  if (words === undefined || mail.workspaceId === '') return
  try {
    const { workspaceId, toAddress: email } = mail
    const devices = await ctx.push.devices.find({ workspaceId, email }).lean()
    await Promise.all(devices.map((device) => pushTo(ctx, device, mail, words)))
  } catch (error) {
    ctx.logger.warn(describeError(error), 'pushes could not be sent')
  }
}

async function pushTo(
  ctx: Context,
  { _id, endpoint, p256dh, auth }: PushDevice,
  mail: OutgoingMail,
  { body, urgency }: Words,
): Promise<void> {
  const { config, logger, push } = ctx
  if (!isPushService(endpoint, config.pushServices)) return
  const payload = JSON.stringify({ body, path: pathOf(mail, config.inboxUrl) })
  const topic = createHash('sha256').update(mail.id).digest('base64url').slice(0, TOPIC_LENGTH)
  const vapidDetails = { subject: `mailto:${config.senderAddress}`, ...push.keys }
  try {
    const request = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, {
      vapidDetails,
      TTL: TTL_SEC,
      urgency,
      topic,
    })
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)])
    const { status } = await fetch(endpoint, {
      method: 'POST',
      headers: headers.filter(([name]) => name.toLowerCase() !== 'content-length'),
      body: new Uint8Array(request.body ?? []),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    if (ENDED.has(status)) await push.devices.deleteOne({ _id })
    else if (status >= 400) logger.warn({ status }, 'a push service refused a push')
  } catch (error) {
    logger.warn(describeError(error), 'a push could not be sent')
  }
}

/** Where the mail's button leads, on our own pages. */
function pathOf({ actionUrl }: OutgoingMail, inboxUrl: string): string {
  const url = URL.parse(actionUrl)
  return url !== null && url.origin === new URL(inboxUrl).origin ? `${url.pathname}${url.search}` : '/'
}

/** A browser names the address, so it could name any: only the push services of browsers get a request. */
export function isPushService(endpoint: string, services: readonly string[]): boolean {
  const url = URL.parse(endpoint)
  if (url === null || url.username !== '' || url.password !== '') return false
  const isListed = services.some((host) => url.hostname === host || url.hostname.endsWith(`.${host}`))
  return isListed && (url.protocol === 'https:' || url.hostname === '127.0.0.1')
}
