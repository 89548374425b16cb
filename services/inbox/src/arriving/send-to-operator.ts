import { formatMailbox } from '@family-inbox/mail-reader/mime/message-fields'
import { MailKind } from '@family-inbox/proto/mail/v1/mail'
import { type RateLimit, spendRateLimits } from '@family-inbox/service-kit/mongo/rate-limit'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { cut } from '@family-inbox/service-kit/text/cut'
import { DAY_MS, HOUR_MS } from '@family-inbox/service-kit/time/days'
import { fromService } from '@family-inbox/workspace-kit/outgoing-mail'
import type { Context } from '../context.ts'
import { resolveReplyTo } from '../models/reply-to.ts'
import { refusals } from './refusals.ts'
import type { ReadableMail } from './store-mail.ts'

const MAX_TEXT = 20_000
const MAX_SUBJECT = 200
/** Everybody may write to postmaster: a flood waits at its sender. */
const LIMIT: RateLimit = {
  _id: 'postmaster',
  windows: [
    { most: 20, ms: HOUR_MS },
    { most: 100, ms: DAY_MS },
  ],
  refusal: 'Too much mail to postmaster.',
}

/**
 * Queues mail to postmaster for the operator (RFC 5321 4.5.1), as text without its files. On return it is on the queue's disk; the
 * same mail is sent once. @throws Refusal 452 for too much of it
 */
export async function sendToOperator(ctx: Context, { dedupeKey, envelope, parsed }: ReadableMail): Promise<void> {
  const { postmasterAddress: email } = ctx.config
  if (email === undefined) throw refusals.noPostmaster()
  const id = `pst_${dedupeKey.slice(0, 32)}`
  await spendRateLimits(ctx.mailLimits, [LIMIT], id).catch(refuseFlood)
  const { from, subject, text, attachments } = parsed
  const files = attachments.length === 0 ? [] : [`Files that are not included: ${attachments.length}`]
  const about = [`From: ${formatMailbox(from)}`, `Received from: ${envelope.peer}`, `Subject: ${subject}`, ...files]
  await ctx.mailQueue.send({
    ...fromService({ email, name: '' }),
    id,
    kind: MailKind.POSTMASTER,
    workspaceId: '',
    replyTo: resolveReplyTo(parsed, ctx.config) ?? '',
    subject: `To postmaster: ${cut(subject, MAX_SUBJECT)}`,
    text: [`Somebody wrote to postmaster@${ctx.config.mailDomain}.`, about.join('\n'), cut(text, MAX_TEXT)].join(
      '\n\n',
    ),
    actionLabel: '',
    actionUrl: '',
  })
}

function refuseFlood(error: unknown): never {
  throw error instanceof StatusError && error.status === 'RESOURCE_EXHAUSTED' ? refusals.tooMuchMail() : error
}
