import { createHash } from 'node:crypto'
import type { SmtpEnvelope } from '@family-inbox/mail-reader/authenticity/authenticity'
import { senderCheck } from '@family-inbox/mail-reader/authenticity/sender-check'
import { comparableBody } from '@family-inbox/mail-reader/mime/comparable-body'
import { type PlainHeader, readPlainHeader } from '@family-inbox/mail-reader/mime/plain-header'
import type { ParsedMessage } from '@family-inbox/mail-reader/parsed-message'
import type { MailRecipient } from '@family-inbox/proto/carecircle/v1/care_circle'
import { SenderCheck } from '@family-inbox/proto/inbox/v1/inbox'
import { count } from '@family-inbox/service-kit/observability/metrics'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { foldEmail } from '@family-inbox/service-kit/rpc/text-rules'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { type AnswerAddress, answerAddressId, findOutcome, hasEnded, recordOutcome } from '../models/answer-address.ts'
import { notificationSettingId } from '../models/notification-setting.ts'
import { readAnswer } from './read-answer.ts'
import { isReason, type Reason, tellNotSent } from './tell-not-sent.ts'
import { writeFor } from './write-for.ts'

export type AnswerMail = { raw: Buffer; envelope: SmtpEnvelope; parsed: ParsedMessage }

const answers = count({
  name: 'answers_by_mail_total',
  help: 'Mails to the addresses of notifications, by what became of them: written, automatic, no member, or why not.',
  labels: ['outcome'],
})

/**
 * A mail to the address of a notification: the member's reply or note, if everything proves that it is theirs. Otherwise only the
 * member hears of it: the connection learns nothing. The same mail again changes nothing.
 * @throws while something is away, so that the mail comes again
 */
export async function receiveAnswer(ctx: Context, address: AnswerAddress, mail: AnswerMail): Promise<void> {
  // An email about a machine's mail could bring the next one.
  if (mail.parsed.automated || mail.parsed.report) return answers.inc({ outcome: 'automatic' })
  const member = await findMember(ctx, address)
  if (member === undefined) return answers.inc({ outcome: 'no member' })
  const header = readPlainHeader(mail.raw)
  const key = keyOf(address, mail.raw, header)
  const unproven = await findDoubt(ctx, address, member, header, mail)
  const refusal = unproven ?? (await handleOnce(ctx, address, member, key, mail))
  if (refusal !== undefined) await tellNotSent(ctx, address, member, key, refusal)
  answers.inc({ outcome: refusal ?? 'written' })
}

/** Undefined once they have left, also if they came back since. */
async function findMember(ctx: Context, address: AnswerAddress): Promise<MailRecipient | undefined> {
  const { workspaceId, personId, createdAt } = address
  const asked = { workspaceId, personIds: [personId], emails: [], owner: false }
  const [member] = (await ctx.careCircle.listMailRecipients(asked)).recipients
  return member === undefined || (member.joinedAt ?? new Date(0)) > createdAt ? undefined : member
}

/**
 * Names the mail by what its signature covers in nearly all mail. A Message-ID often is not: whoever sends a signed mail again could
 * change it.
 */
function keyOf({ _id }: AnswerAddress, raw: Buffer, { date }: PlainHeader): string {
  return createHash('sha256')
    .update(JSON.stringify([_id, date]))
    .update(comparableBody(raw))
    .digest('hex')
}

/** Why it may not be the member's; undefined if it is. A mail that was written for another reader proves nothing here. */
async function findDoubt(
  ctx: Context,
  { _id, workspaceId }: AnswerAddress,
  { email }: MailRecipient,
  { author, to, date }: PlainHeader,
  { raw, envelope }: AnswerMail,
): Promise<Reason | undefined> {
  if (author === '' || foldEmail(author) !== foldEmail(email)) return 'unproven'
  // Somebody may have put another Date above, so that a mail which came before looks new.
  if (date === '') return 'unproven'
  // The check transfers its bytes to a thread.
  const check = senderCheck(await ctx.authenticator.authenticate(workspaceId, new Uint8Array(raw), envelope))
  if (check === SenderCheck.IMPOSSIBLE) throw new StatusError('UNAVAILABLE', 'The sender cannot be checked right now.')
  if (check !== SenderCheck.VERIFIED) return 'unproven'
  return answerAddressId(to, ctx.config) === _id ? undefined : 'addressed'
}

/** What was decided at the first time stays: a mail that was refused is not sent later. */
async function handleOnce(
  ctx: Context,
  address: AnswerAddress,
  member: MailRecipient,
  key: string,
  mail: AnswerMail,
): Promise<Reason | undefined> {
  const earlier = await findOutcome(ctx, address, key)
  if (earlier !== undefined) return isReason(earlier.refusal) ? earlier.refusal : undefined
  const refusal = await handle(ctx, address, member, key, mail)
  await recordOutcome(ctx, address, { key, ...(refusal && { refusal }) })
  crashPoint('answer-recorded')
  return refusal
}

async function handle(
  ctx: Context,
  address: AnswerAddress,
  member: MailRecipient,
  key: string,
  { raw, parsed }: AnswerMail,
): Promise<Reason | undefined> {
  const written = await ctx.replies.exists({ workspaceId: address.workspaceId, idempotencyKey: `mail:${key}` })
  if (written !== null) return undefined
  if (hasEnded(address)) return 'ended'
  const settingId = notificationSettingId(address.workspaceId, address.personId)
  if (await ctx.notificationSettings.exists({ _id: settingId, answersOff: true })) return 'off'
  const answer = readAnswer(parsed)
  return typeof answer === 'string' ? answer : writeFor(ctx, address, member, { ...answer, key: `mail:${key}`, raw })
}
