import type { SmtpEnvelope } from '@family-inbox/mail-reader/authenticity/authenticity'
import { senderCheck } from '@family-inbox/mail-reader/authenticity/sender-check'
import type { MailReport } from '@family-inbox/mail-reader/mime/mail-report'
import type { ParsedMessage } from '@family-inbox/mail-reader/parsed-message'
import { SenderCheck } from '@family-inbox/proto/inbox/v1/inbox'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { domainOf } from '@family-inbox/workspace-kit/same-sender'
import type { Context } from '../context.ts'
import { markReturned, recordReport } from '../sending/stopped-mail.ts'
import { refusals } from './refusals.ts'

export type ReportMail = {
  raw: Buffer
  envelope: SmtpEnvelope
  parsed: Pick<ParsedMessage, 'from'>
  report: MailReport
}

const IN_FLIGHT_MS = 7 * DAY_MS
/** Reports take turns with the mail of families. */
const REPORTS = 'reports'

/**
 * A report at the sender address, which everybody knows. A feedback loop (RFC 5965) that the operator registered proves itself,
 * and names our mail by its Message-ID. Others stop nobody. @throws Refusal while the check is not possible
 */
export async function receiveFeedback(ctx: Context, mail: ReportMail): Promise<void> {
  const { kind, messageIds } = mail.report
  if (messageIds.length === 0) return
  const [delivery, another] = await ctx.deliveries
    .find({ messageIdHeader: { $in: messageIds } })
    .limit(2)
    .lean()
  // Of a mail with copies, only a return path tells whose report it is.
  if (delivery === undefined || another !== undefined) return
  if (await isRegistered(ctx, mail)) return recordReport(ctx, delivery, kind)
  // Mail of an older version has no return path of its own. Its bounces are on their way for a few days after an update.
  const isOlder = delivery.returnPathHash === undefined && delivery.createdAt.getTime() > Date.now() - IN_FLIGHT_MS
  if (kind === 'bounce' && isOlder) await markReturned(ctx, delivery)
}

async function isRegistered({ config, authenticator }: Context, { raw, envelope, parsed }: ReportMail) {
  const { address } = parsed.from
  const domain = domainOf(address)
  if (!config.feedbackDomains.includes(domain)) return false
  // The check transfers its bytes to a thread.
  const check = senderCheck(await authenticator.authenticate(REPORTS, new Uint8Array(raw), envelope))
  if (check === SenderCheck.IMPOSSIBLE) throw refusals.tryLater()
  return check === SenderCheck.VERIFIED
}
