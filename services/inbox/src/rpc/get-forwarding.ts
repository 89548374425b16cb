import { isProven } from '@family-inbox/mail-reader/authenticity/sender-check'
import type { GetForwardingRequest, GetForwardingResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { toWireConfirmation } from '../finding/to-summary.ts'
import { formatAddress, NOT_RETIRED } from '../models/inbox-address.ts'
import { type Message, publicIdOf } from '../models/message.ts'
import { isOwnMessageId } from '../sending/compose.ts'
import { describeTestMail } from '../sending/describe-test-mail.ts'

const RECENT_MS = 24 * 3_600_000

type Inbox = { workspaceId: string; lovedOneId: string }

export function getForwarding(ctx: Context): Handler<GetForwardingRequest, GetForwardingResponse> {
  return async ({ lovedOneId }, call) => {
    const { workspaceId } = await ctx.requireMember(call, { lovedOneId })
    const inbox = { workspaceId, lovedOneId }
    const [address, request, testMail, firstMail] = await Promise.all([
      ctx.inboxAddresses.findOne({ ...inbox, ...NOT_RETIRED }, { localPart: 1 }).lean(),
      findRequest(ctx, inbox),
      ctx.testMails
        .findOne({ ...inbox, createdAt: { $gte: since() } })
        .sort({ createdAt: -1 })
        .lean(),
      findMail(ctx, inbox),
    ])
    return {
      address: address === null ? '' : formatAddress(address, ctx.config),
      confirmation: request?.forwardingConfirmation && toWireConfirmation(request.forwardingConfirmation),
      confirmationReceivedAt: request?.receivedAt,
      confirmationAuthentic: request?.authenticity && isProven(request),
      confirmationMessageId: request ? publicIdOf(request) : '',
      testMail: testMail === null ? undefined : await describeTestMail(ctx, testMail),
      hasMail: firstMail !== null,
    }
  }
}

type RequestRow = Pick<Message, '_id' | 'forwardingConfirmation' | 'receivedAt' | 'authenticity'>

async function findRequest(ctx: Context, inbox: Inbox): Promise<RequestRow | null> {
  const fields = { forwardingConfirmation: 1, receivedAt: 1, authenticity: 1 }
  return ctx.messages
    .findOne({ ...inbox, receivedAt: { $gte: since() }, forwardingConfirmation: { $exists: true } }, fields)
    .sort({ receivedAt: -1 })
    .lean<RequestRow | null>()
}

/** The newest mail that is neither a confirmation request nor our own. */
async function findMail(ctx: Context, inbox: Inbox) {
  const newest = await ctx.messages
    .find(inbox, { forwardingConfirmation: 1, messageIdHeader: 1 })
    .sort({ receivedAt: -1, _id: -1 })
    .limit(20)
    .lean()
  return newest.find((row) => !row.forwardingConfirmation && !isOwnMessageId(row.messageIdHeader, ctx.config)) ?? null
}

function since(): Date {
  return new Date(Date.now() - RECENT_MS)
}
