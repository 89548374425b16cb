import type { SendTestMailRequest, SendTestMailResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { MailKind } from '@family-inbox/proto/mail/v1/mail'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requireLine } from '@family-inbox/service-kit/rpc/text-rules'
import { HOUR_MS } from '@family-inbox/service-kit/time/days'
import type { Context } from '../context.ts'
import { formatAddress, NOT_RETIRED } from '../models/inbox-address.ts'
import type { TestMail } from '../models/test-mail.ts'
import { messageIdHeaderFor } from '../sending/compose.ts'
import { describeTestMail } from '../sending/describe-test-mail.ts'

const MAX_PER_HOUR = 10

/** Sends a test mail to a loved one's address through the outgoing queue. Owner and coordinators only. */
export function sendTestMail(ctx: Context): Handler<SendTestMailRequest, SendTestMailResponse> {
  return async ({ lovedOneId, idempotencyKey }, call) => {
    const { workspaceId } = await ctx.requireMember(call, { lovedOneId, write: true })
    const key = requireLine('idempotencyKey', idempotencyKey, 200)
    const address = await ctx.inboxAddresses.findOne({ workspaceId, lovedOneId, ...NOT_RETIRED }).lean()
    if (address === null)
      throw new StatusError('FAILED_PRECONDITION', 'This inbox has no active address. Create one first.')
    await requireTestMailLimit(ctx, workspaceId, lovedOneId)
    const testMail = await insertOnce(ctx, workspaceId, lovedOneId, key)
    await ctx.mailQueue.send(compose(testMail, formatAddress(address, ctx.config)))
    return { testMail: await describeTestMail(ctx, testMail) }
  }
}

async function requireTestMailLimit(ctx: Context, workspaceId: string, lovedOneId: string): Promise<void> {
  const since = new Date(Date.now() - HOUR_MS)
  const sent = await ctx.testMails
    .find({ workspaceId, lovedOneId, createdAt: { $gte: since } }, { createdAt: 1 })
    .sort({ createdAt: 1 })
    .limit(MAX_PER_HOUR)
    .lean()
  const [first] = sent
  if (first === undefined || sent.length < MAX_PER_HOUR) return
  const retryAfterSec = Math.max(1, Math.ceil((first.createdAt.getTime() + HOUR_MS - Date.now()) / 1000))
  throw new StatusError('RESOURCE_EXHAUSTED', 'Too many test messages.', { retryAfterSec })
}

/** Returns the row of an earlier request with the same key, if any. */
async function insertOnce(
  ctx: Context,
  workspaceId: string,
  lovedOneId: string,
  idempotencyKey: string,
): Promise<TestMail> {
  const _id = newId('tst')
  const messageIdHeader = messageIdHeaderFor(_id, ctx.config)
  const row = { _id, workspaceId, lovedOneId, messageIdHeader, idempotencyKey, createdAt: new Date() }
  try {
    await ctx.testMails.insertOne(row)
    return row
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
  }
  return ctx.testMails.findOne({ workspaceId, idempotencyKey }).lean().orFail()
}

function compose({ _id, workspaceId }: TestMail, toAddress: string) {
  return {
    id: _id,
    kind: MailKind.TEST,
    workspaceId,
    toAddress,
    toName: '',
    fromName: '',
    replyTo: '',
    subject: 'This inbox works',
    text: 'This is a test message. It shows that mail sent to this address arrives in your family’s inbox.\n\nYou don’t need to do anything.',
    actionLabel: '',
    actionUrl: '',
    inReplyTo: '',
    references: [],
  }
}
