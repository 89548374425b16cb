import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { earliest } from '@family-inbox/service-kit/mongo/rows'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import type { ReplyProposal } from '../models/reply-proposal.ts'
import { endGuard } from './guard.ts'
import { tryQueueReply } from './queue-reply.ts'
import { type NewReply, storeAdmittedReply } from './store-reply.ts'

/** The request that approved a younger one is still storing its reply. */
const SWEEP_AFTER_MS = 10_000

/** Stores and queues the reply of an approved proposal, once, however often and by whomever it is called. */
export async function sendApproved(ctx: Context, proposal: ReplyProposal): Promise<ReplyProposal> {
  const reply = await storeAdmittedReply(ctx, replyOf(proposal))
  await endGuard(ctx, proposal)
  const sent = { state: 'sent', replyId: reply._id } as const
  await ctx.replyProposals.updateOne({ _id: proposal._id }, { $set: sent })
  crashPoint('proposal-marked')
  await tryQueueReply(ctx, reply)
  return { ...proposal, ...sent }
}

/** The key has a line break, which no request can contain. */
export function replyOf(proposal: ReplyProposal): NewReply {
  const { _id, workspaceId, lovedOneId, messageRowId, personId, name, assistant, to, body } = proposal
  const { footer, disclosed, decidedByName } = proposal
  return {
    workspaceId,
    lovedOneId,
    messageRowId,
    personId,
    name,
    assistant,
    to,
    body,
    idempotencyKey: `proposal\n${_id}`,
    ...(decidedByName !== undefined && { approvedBy: decidedByName }),
    ...(footer !== undefined && { footer }),
    ...(disclosed && { disclosed }),
  }
}

/** Sends what a crash left approved. Safe on any number of replicas. */
export function sweepProposals(ctx: Context): AsyncDisposable {
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    dueAt: () => firstLeft(ctx),
    sweep: () => sweep(ctx),
    failureMessage: 'approved replies could not be sent; retrying',
    logger: ctx.logger,
  })
}

async function firstLeft({ replyProposals }: Context): Promise<Date | undefined> {
  const decidedAt = await earliest(replyProposals, 'decidedAt', { state: 'approved' })
  return decidedAt && new Date(decidedAt.getTime() + SWEEP_AFTER_MS + 1)
}

async function sweep(ctx: Context): Promise<boolean> {
  const left = { state: 'approved' as const, decidedAt: { $lt: new Date(Date.now() - SWEEP_AFTER_MS) } }
  for (const proposal of await ctx.replyProposals.find(left).limit(100).lean<ReplyProposal[]>())
    await sendApproved(ctx, proposal).catch((error) => reportFailure(ctx, proposal, error))
  return false
}

/** One that fails must not keep others waiting. A message may be deleted meanwhile, and its proposals with it. */
function reportFailure({ logger }: Context, { _id }: ReplyProposal, error: unknown): void {
  if (error instanceof StatusError && error.status === 'NOT_FOUND') return
  logger.warn({ ...describeError(error), proposal: _id }, 'an approved reply could not be sent; retrying')
}
