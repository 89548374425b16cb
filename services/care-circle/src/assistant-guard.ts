import type { Membership } from '@family-inbox/proto/carecircle/v1/care_circle'
import { newId } from '@family-inbox/service-kit/ids/ids'
import type { Principal } from '@family-inbox/service-kit/rpc/identity'
import type { Context } from './context.ts'
import { type Member, memberId } from './models/member.ts'

/** Longer than any call, so a reading that was underway when a member decided ends before the mark does. */
const ENDS_AFTER_MS = 5000
/** A younger mark may still be lost with its primary. Marking again writes nothing, and waits until the mark is durable. */
const DURABLE_AFTER_MS = 15_000
/** The latest of one person. Every call of theirs reads them. */
const MARKS_KEPT = 100

/** The effect of an assistant's mark on a call that starts now. */
export function guardState(
  { assistants, guardMarks = [] }: Member,
  { credentialId }: Principal,
): Pick<Membership, 'guardMark' | 'needsGuardMark'> {
  if (!assistants?.guarded) return {}
  const mark = guardMarks.find((guardMark) => guardMark.credentialId === credentialId)
  if (mark === undefined) return { needsGuardMark: true }
  const { id, createdAt, proposed = false, endsAt } = mark
  const now = Date.now()
  const applies = endsAt === undefined || endsAt.getTime() > now
  const needsGuardMark = proposed || createdAt.getTime() > now - DURABLE_AFTER_MS
  return { ...(applies && { guardMark: id }), needsGuardMark }
}

/** Durable before it returns. Of readings at the same moment, and of those before the next proposal, the first writes. */
export async function markReading(ctx: Context, reader: Principal): Promise<void> {
  const { workspaceId, personId, credentialId } = reader
  const current = { $elemMatch: { credentialId, proposed: null } }
  const isKept = {
    $and: [
      { $ne: ['$$this.credentialId', credentialId] },
      { $or: [{ $not: ['$$this.endsAt'] }, { $gt: ['$$this.endsAt', '$$NOW'] }] },
    ],
  }
  const others = { $filter: { input: { $ifNull: ['$guardMarks', []] }, cond: isKept } }
  const mark = { id: newId('gm'), credentialId, createdAt: new Date() }
  const guardMarks = { $slice: [{ $concatArrays: [others, [{ $literal: mark }]] }, -MARKS_KEPT] }
  await ctx.members.collection.updateOne(
    { _id: memberId(workspaceId, personId) as never, guardMarks: { $not: current } },
    [{ $set: { guardMarks } }],
  )
}

export type Guarded = { workspaceId: string; personId: string; guardMark?: string | undefined }

/** Before a proposal is stored: what the assistant reads from now on needs a mark of its own. */
export async function markProposing(ctx: Context, { workspaceId, personId, guardMark }: Guarded): Promise<void> {
  if (guardMark === undefined) return
  const own = { _id: memberId(workspaceId, personId), 'guardMarks.id': guardMark }
  await ctx.members.updateOne(own, { $set: { 'guardMarks.$.proposed': true } })
}

/** After a member decided a proposal that was made under the mark. No effect the second time, or if it was replaced. */
export async function endGuard(ctx: Context, { workspaceId, personId, guardMark }: Guarded): Promise<void> {
  if (guardMark === undefined) return
  const open = { $elemMatch: { id: guardMark, endsAt: null } }
  const $set = { 'guardMarks.$.endsAt': new Date(Date.now() + ENDS_AFTER_MS) }
  await ctx.members.updateOne({ _id: memberId(workspaceId, personId), guardMarks: open }, { $set })
}
