import { setTimeout as sleep } from 'node:timers/promises'
import type { Authenticity } from '@family-inbox/mail-reader/authenticity/authenticity'
import { isProven } from '@family-inbox/mail-reader/authenticity/sender-check'
import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { createFairGate } from '@family-inbox/service-kit/lifecycle/fair-gate'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { runInRequest } from '@family-inbox/service-kit/observability/request'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import type { Message } from '../models/message.ts'
import { ORIGINAL_FIELDS, readOriginal } from '../models/original.ts'
import { knownForwarder } from './known-forwarders.ts'
import { waitWhileStoring } from './wait-while-storing.ts'

/** The sweep finds the rest. */
const MAX_WAITING = 1000
const MAX_WAITING_OF_WORKSPACE = 100
/** A mail can take seconds to check, so workspaces take turns. */
const TURNS = { slots: 2, slotsPerOwner: 1 }
const PACE_MS = 5
/**
 * A check waits while mail is arriving, but no longer than this after its own mail, however many are ahead of it. Otherwise
 * steady mail would leave it one check a second for everybody.
 */
const MAX_DELAY_MS = 2000
const SWEEP_MS = 60_000

type Checking = Pick<
  Context,
  'messages' | 'originals' | 'workspaceKeys' | 'authenticator' | 'findRole' | 'liveUpdates' | 'storing' | 'logger'
> & {
  config: Pick<Config, 'knownForwarders'>
  wake: Pick<Context['wake'], 'calendar' | 'checks' | 'joins'>
}

export type AuthenticityChecks = AsyncDisposable & {
  check(message: Pick<Message, '_id' | 'workspaceId'>): void
}

/** Runs after messages are stored, so slow DNS never delays delivery. A sweep repeats checks cut off by a crash. */
export function createAuthenticityChecks(ctx: Checking): AuthenticityChecks {
  const inTurn = createFairGate(TURNS)
  const waiting = new Map<string, { workspaceId: string; work: Promise<void> }>()
  let stopped = false

  function check({ _id, workspaceId }: Pick<Message, '_id' | 'workspaceId'>): void {
    if (stopped || waiting.has(_id) || waiting.size >= MAX_WAITING) return
    if (waitingOf(workspaceId) >= MAX_WAITING_OF_WORKSPACE) return
    const latest = Date.now() + MAX_DELAY_MS
    const run = async () => {
      await sleep(PACE_MS, undefined, { ref: false })
      await waitWhileStoring(ctx, latest)
      if (!stopped) await checkMessage(ctx, _id, authenticate)
    }
    // Kept out of the delivery's trace.
    const work = runInRequest(undefined, () => inTurn(workspaceId, run)).finally(() => waiting.delete(_id))
    waiting.set(_id, { workspaceId, work })
  }

  async function authenticate(row: Message): Promise<Authenticity | undefined> {
    const raw = await readOriginal(ctx, row)
    return raw === null ? undefined : ctx.authenticator.authenticate(row.workspaceId, raw, row.envelope)
  }

  function waitingOf(workspaceId: string): number {
    return [...waiting.values()].filter((one) => one.workspaceId === workspaceId).length
  }

  async function sweep(): Promise<void> {
    const rows = await findWaiting(ctx).catch(() => [])
    for (const row of rows) check(row)
  }

  const timer = setInterval(sweep, SWEEP_MS).unref()
  void sweep()
  ctx.wake.checks.listener = sweep
  return {
    check,
    async [Symbol.asyncDispose]() {
      stopped = true
      delete ctx.wake.checks.listener
      clearInterval(timer)
      await Promise.allSettled([...waiting.values()].map(({ work }) => work))
    },
  }
}

function findWaiting({ messages }: Checking) {
  return messages
    .find({ authenticityPending: true }, { workspaceId: 1 })
    .sort({ receivedAt: 1 })
    .limit(MAX_WAITING)
    .lean()
}

/** On failure, the message stays pending until the next sweep. */
async function checkMessage(
  ctx: Checking,
  rowId: string,
  authenticate: (row: Message) => Promise<Authenticity | undefined>,
): Promise<void> {
  const { messages, workspaceKeys, liveUpdates, wake, logger } = ctx
  try {
    const found = await messages.collection.findOne(
      { _id: rowId as never, authenticityPending: true },
      {
        projection: {
          ...ORIGINAL_FIELDS,
          workspaceId: 1,
          lovedOneId: 1,
          envelope: 1,
          from: 1,
          originalSender: 1,
          listAuthor: 1,
          inReplyTo: 1,
          references: 1,
          calendarPending: 1,
        },
        promoteBuffers: true,
      },
    )
    if (found === null) return
    const row = await workspaceKeys.open(found as unknown as Message)
    const checked = await authenticate(row)
    if (checked === undefined) return
    const forwarder = knownForwarder(checked, ctx.config.knownForwarders)
    const authenticity = { ...checked, ...(forwarder !== undefined && { forwarder }) }
    const ofMember = await findMemberFields(ctx, row, authenticity)
    await messages.updateOne(
      { _id: rowId },
      { $set: { authenticity, ...ofMember, joinPending: true }, $unset: { authenticityPending: 1 } },
    )
    wake.joins()
    // Lists show what came of it.
    liveUpdates.announce(row.workspaceId, { lovedOneId: row.lovedOneId })
    if (row.calendarPending) wake.calendar()
  } catch (error) {
    logger.warn(describeError(error), 'a message could not be authenticated; the sweep will retry')
  }
}

/**
 * The original sender is only the forwarder's claim, so the forwarder must be an authenticated member. In mail that names no
 * member at all, it does not even decide where a reply goes.
 */
async function findMemberFields(
  { findRole }: Checking,
  { workspaceId, from, originalSender, listAuthor, inReplyTo, references }: Message,
  authenticity: Authenticity,
): Promise<Pick<Message, 'originalSender' | 'forwardedByMember' | 'sentByMember' | 'fromMember'>> {
  const claimed = originalSender ?? listAuthor
  const isOwn =
    isProven({ authenticity }) && (claimed !== undefined || inReplyTo !== undefined || references.length > 0)
  if (!isOwn && originalSender === undefined) return {}
  const role = await findRole(workspaceId, from.address.toLowerCase())
  const named = claimed && { fromMember: role !== undefined }
  if (!isOwn || role === undefined || role === Role.VIEWER) return { ...named }
  return { ...named, sentByMember: true, ...(claimed && { originalSender: claimed, forwardedByMember: true }) }
}
