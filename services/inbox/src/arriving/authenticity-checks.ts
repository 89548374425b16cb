import { setTimeout as sleep } from 'node:timers/promises'
import type { Authenticity } from '@family-inbox/mail-reader/authenticity/authenticity'
import type { MailAuthenticator } from '@family-inbox/mail-reader/authenticity/mail-authenticator'
import { isProven } from '@family-inbox/mail-reader/authenticity/sender-check'
import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { createFairGate } from '@family-inbox/service-kit/lifecycle/fair-gate'
import { describeError, type Logger } from '@family-inbox/service-kit/observability/logger'
import { runInRequest } from '@family-inbox/service-kit/observability/request'
import type { FindRole } from '../find-role.ts'
import type { LiveUpdates } from '../live-updates.ts'
import type { Message, messageModel } from '../models/message.ts'
import { ORIGINAL_FIELDS, type originalModel, readOriginal } from '../models/original.ts'
import { knownForwarder } from './known-forwarders.ts'

/** The sweep finds the rest. */
const MAX_WAITING = 1000
const MAX_WAITING_OF_WORKSPACE = 100
/** One mail can take seconds to check, so workspaces take turns. */
const TURNS = { slots: 2, slotsPerOwner: 1 }
const PACE_MS = 5
/**
 * A check waits while mail is arriving, but no longer than this after its own mail, however many are ahead of it. Otherwise
 * steady mail would leave it one check a second for everybody.
 */
const MAX_DELAY_MS = 2000
/** Mail that is arriving goes first for at least this long. */
const BUSY_MS = 50
const SWEEP_MS = 60_000

type Stores = {
  messages: ReturnType<typeof messageModel>
  originals: ReturnType<typeof originalModel>
  /** Of the member with this address. What a viewer vouches for does not count for the family. */
  findRole: FindRole
  /** Beside those of known-forwarders.ts. */
  forwarders: readonly string[]
  liveUpdates: Pick<LiveUpdates, 'announce'>
  /** Its calendar file waits for the result. */
  wakeCalendar: () => void
  /** So does its conversation. */
  wakeJoins: () => void
  logger: Logger
}

export type AuthenticityChecks = AsyncDisposable & {
  check(message: Pick<Message, '_id' | 'workspaceId'>): void
}

/** Runs after messages are stored, so slow DNS never delays delivery. A sweep repeats checks cut off by a crash. */
export function createAuthenticityChecks(
  stores: Stores,
  authenticator: MailAuthenticator,
  isBusy: () => boolean,
): AuthenticityChecks {
  const inTurn = createFairGate(TURNS)
  const waiting = new Map<string, { workspaceId: string; work: Promise<void> }>()
  let stopped = false

  function check({ _id, workspaceId }: Pick<Message, '_id' | 'workspaceId'>): void {
    if (stopped || waiting.has(_id) || waiting.size >= MAX_WAITING) return
    if (waitingOf(workspaceId) >= MAX_WAITING_OF_WORKSPACE) return
    const latest = Date.now() + MAX_DELAY_MS
    const run = async () => {
      await waitWhileBusy(isBusy, latest)
      if (!stopped) await checkMessage(stores, _id, authenticate)
    }
    // Not part of the delivery's trace.
    const work = runInRequest(undefined, () => inTurn(workspaceId, run)).finally(() => waiting.delete(_id))
    waiting.set(_id, { workspaceId, work })
  }

  async function authenticate(row: Message): Promise<Authenticity | undefined> {
    const raw = await readOriginal(stores.originals, row)
    return raw === null ? undefined : authenticator.authenticate(row.workspaceId, raw, row.envelope)
  }

  function waitingOf(workspaceId: string): number {
    return [...waiting.values()].filter((one) => one.workspaceId === workspaceId).length
  }

  async function sweep(): Promise<void> {
    const rows = await findWaiting(stores).catch(() => [])
    for (const row of rows) check(row)
  }

  const timer = setInterval(sweep, SWEEP_MS).unref()
  void sweep()
  return {
    check,
    async [Symbol.asyncDispose]() {
      stopped = true
      clearInterval(timer)
      await Promise.allSettled([...waiting.values()].map(({ work }) => work))
    },
  }
}

async function waitWhileBusy(isBusy: () => boolean, latest: number): Promise<void> {
  await sleep(PACE_MS, undefined, { ref: false })
  while (isBusy()) {
    await sleep(BUSY_MS, undefined, { ref: false })
    if (Date.now() >= latest) return
  }
}

function findWaiting({ messages }: Stores) {
  return messages
    .find({ authenticityPending: true }, { workspaceId: 1 })
    .sort({ receivedAt: 1 })
    .limit(MAX_WAITING)
    .lean()
}

/** On failure, the message stays pending until the next sweep. */
async function checkMessage(
  stores: Stores,
  rowId: string,
  authenticate: (row: Message) => Promise<Authenticity | undefined>,
): Promise<void> {
  const { messages, logger } = stores
  try {
    const row = (await messages.collection.findOne(
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
    )) as Message | null
    if (row === null) return
    const checked = await authenticate(row)
    if (checked === undefined) return
    const forwarder = knownForwarder(checked, stores.forwarders)
    const authenticity = { ...checked, ...(forwarder !== undefined && { forwarder }) }
    const ofMember = await findMemberFields(stores, row, authenticity)
    await messages.updateOne(
      { _id: rowId },
      { $set: { authenticity, ...ofMember, joinPending: true }, $unset: { authenticityPending: 1 } },
    )
    stores.wakeJoins()
    // Lists show what came of it.
    stores.liveUpdates.announce(row.workspaceId, { lovedOneId: row.lovedOneId })
    if (row.calendarPending) stores.wakeCalendar()
  } catch (error) {
    logger.warn(describeError(error), 'a message could not be authenticated; the sweep will retry')
  }
}

/**
 * The original sender is only the forwarder's claim, so the forwarder must be an authenticated member. In mail that names no
 * member at all, it does not even decide where a reply goes.
 */
async function findMemberFields(
  { findRole }: Stores,
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
