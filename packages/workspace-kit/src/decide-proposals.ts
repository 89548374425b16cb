import type { Membership } from '@family-inbox/proto/carecircle/v1/care_circle'
import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { earliest } from '@family-inbox/service-kit/mongo/rows'
import { describeError, type Logger } from '@family-inbox/service-kit/observability/logger'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { MAX_WAITING, type Proposal, shownState, waitingProposals } from './proposals.ts'
import type { RowModel } from './row-schema.ts'

export type ProposalKind<Row extends Proposal> = {
  rows: RowModel<Row>
  /** "reply" or "invitation". */
  noun: string
  /** Stores and queues what was approved, once, however often it is called. @returns the fields that name it */
  send(proposal: Row): Promise<Partial<Row>>
  /** Ends the mark under which this was proposed, and no later one. Safe to repeat. */
  endGuard(proposal: Row): Promise<void>
  /** Where a test may end the process: the decision is durable, or what it led to. */
  crashPoint(at: 'approved' | 'marked'): void
}

type Member = Pick<Membership, 'workspaceId' | 'personId' | 'name'>

/** The request that approved a younger one is still sending it. */
const SWEEP_AFTER_MS = 10_000

/** Newest first. */
export function findWaiting<Row extends Proposal>({ rows }: ProposalKind<Row>, workspaceId: string): Promise<Row[]> {
  const waiting = { workspaceId, ...waitingProposals() } as object
  return rows.find(waiting).sort({ createdAt: -1 }).limit(MAX_WAITING).lean<Row[]>().exec()
}

/** @throws StatusError NOT_FOUND, the same whether or not it exists in another workspace */
export async function findProposal<Row extends Proposal>(
  { rows, noun }: ProposalKind<Row>,
  workspaceId: string,
  _id: string,
): Promise<Row> {
  const row = await rows
    .findOne({ _id, workspaceId } as object)
    .readConcern('majority')
    .lean<Row | null>()
  if (row !== null) return row
  const message = `Your family has no ${noun} with this id that waits for approval.`
  throw new StatusError('NOT_FOUND', message, { field: 'proposalId' })
}

/**
 * Sends a waiting proposal. Of several members who approve it, the first decides what is sent; the others find it sent.
 * @param admit checks everything again, because days may have passed, and spends the limits; returns the fields it decides
 * @throws StatusError FAILED_PRECONDITION when it was declined or has expired
 */
export async function approveProposal<Row extends Proposal>(
  kind: ProposalKind<Row>,
  member: Member,
  proposalId: string,
  admit: (proposal: Row) => Promise<Partial<Row>>,
): Promise<Row> {
  const proposal = await findProposal(kind, member.workspaceId, proposalId)
  const approved =
    proposal.state === 'waiting' ? await decideToSend(kind, member, proposal, admit) : requireApproved(proposal)
  return approved.state === 'sent' ? approved : sendApproved(kind, approved)
}

async function decideToSend<Row extends Proposal>(
  kind: ProposalKind<Row>,
  member: Member,
  proposal: Row,
  admit: (proposal: Row) => Promise<Partial<Row>>,
): Promise<Row> {
  const current = () => findProposal(kind, member.workspaceId, proposal._id)
  const fields = await admit(proposal).catch(async (error) => {
    // Another member may have approved it meanwhile: then the checks find what it became.
    const now = await current()
    if (now.state === 'waiting') throw error
    return requireApproved(now)
  })
  const approved = await decide(kind, member, proposal._id, { ...fields, state: 'approved' })
  kind.crashPoint('approved')
  return approved ?? requireApproved(await current())
}

/** @throws StatusError FAILED_PRECONDITION once it was sent */
export async function declineProposal<Row extends Proposal>(
  kind: ProposalKind<Row>,
  member: Member,
  proposalId: string,
): Promise<void> {
  const declined = await decide(kind, member, proposalId, { state: 'declined' })
  const proposal = declined ?? (await findProposal(kind, member.workspaceId, proposalId))
  if (proposal.state !== 'declined') throw alreadyDecided(proposal)
  await kind.endGuard(proposal)
}

/** Decides with a conditional update. @returns null when it does not wait any more */
async function decide<Row extends Proposal>(
  { rows }: ProposalKind<Row>,
  { workspaceId, personId, name }: Member,
  _id: string,
  decision: object,
): Promise<Row | null> {
  const $set = { ...decision, decidedBy: personId, decidedByName: name, decidedAt: new Date() }
  const waiting = { _id, workspaceId, ...waitingProposals() } as object
  return rows.findOneAndUpdate(waiting, { $set } as object, { returnDocument: 'after' }).lean<Row | null>()
}

function requireApproved<Row extends Proposal>(proposal: Row): Row {
  if (proposal.state === 'approved' || proposal.state === 'sent') return proposal
  throw alreadyDecided(proposal)
}

/** The words for a member who presses a button too late. */
function alreadyDecided(proposal: Proposal): StatusError {
  const shown = shownState(proposal)
  if (shown === 'expired')
    return new StatusError('FAILED_PRECONDITION', 'This expired after seven days and wasn’t sent.')
  const { decidedByName = 'Someone' } = proposal
  return new StatusError('FAILED_PRECONDITION', `${decidedByName} already ${shown} it.`)
}

/** Once, however often and by whomever it is called. */
async function sendApproved<Row extends Proposal>(kind: ProposalKind<Row>, proposal: Row): Promise<Row> {
  const named = await sendOrHandBack(kind, proposal)
  // From here on it is sent: a failure leaves it approved, and the sweep takes these steps again.
  const fields = { ...named, state: 'sent' as const }
  await kind.endGuard(proposal)
  await kind.rows.updateOne({ _id: proposal._id } as object, { $set: fields } as object)
  kind.crashPoint('marked')
  return { ...proposal, ...fields }
}

async function sendOrHandBack<Row extends Proposal>(kind: ProposalKind<Row>, proposal: Row): Promise<Partial<Row>> {
  try {
    return await kind.send(proposal)
  } catch (error) {
    // Such as a person who joined in the meantime: the members decide again.
    if (error instanceof StatusError && error.status !== 'UNAVAILABLE') await handBack(kind, proposal)
    throw error
  }
}

async function handBack<Row extends Proposal>({ rows }: ProposalKind<Row>, { _id }: Row): Promise<void> {
  const approved = { _id, state: 'approved' } as object
  const undecided = { decidedBy: 1, decidedByName: 1, decidedAt: 1 }
  try {
    await rows.updateOne(approved, { $set: { state: 'waiting' }, $unset: undecided } as object)
  } catch (error) {
    // Another one for the same address waits.
    if (!isDuplicateKey(error)) throw error
    await rows.updateOne(approved, { $set: { state: 'expired' } } as object)
  }
}

/** Sends what a crash left approved. Safe on any number of replicas. */
export function sweepProposals<Row extends Proposal>(
  kind: ProposalKind<Row>,
  { config, logger }: { config: { sweepPauseMs: number }; logger: Logger },
): AsyncDisposable {
  const { rows, noun } = kind
  const failureMessage = `an approved ${noun} could not be sent; retrying`
  return startSweeper({
    pauseMs: config.sweepPauseMs,
    async dueAt() {
      const decidedAt = await earliest(rows, 'decidedAt', { state: 'approved' })
      return decidedAt && new Date(decidedAt.getTime() + SWEEP_AFTER_MS + 1)
    },
    async sweep() {
      const left = { state: 'approved', decidedAt: { $lt: new Date(Date.now() - SWEEP_AFTER_MS) } } as object
      // A failure must not keep others waiting.
      for (const proposal of await rows.find(left).limit(100).lean<Row[]>())
        await sendApproved(kind, proposal).catch((error) =>
          logger.warn({ ...describeError(error), proposal: proposal._id }, failureMessage),
        )
      return false
    },
    failureMessage,
    logger,
  })
}
