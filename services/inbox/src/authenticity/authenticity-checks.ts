import { setTimeout as sleep } from 'node:timers/promises'
import { describeError, type Logger } from '@family-inbox/service-kit/observability/logger'
import { runInRequest } from '@family-inbox/service-kit/observability/request'
import type { Authenticity, Message, messageModel } from '../models/message.ts'
import { ORIGINAL_FIELDS, type originalModel, readOriginal } from '../models/original.ts'
import type { Judge } from './judge.ts'
import { isAuthentic } from './verdict.ts'

/** Beyond this many the rest are found by the sweep. */
const MAX_WAITING = 1000
const MAX_RUNNING = 2
/** Between one start and the next. */
const PACE_MS = 5
/** While mail is arriving a check waits for a quiet moment, but no longer than this. */
const PATIENCE_MS = 2000
const BUSY_MS = 50
const SWEEP_MS = 60_000

type Stores = {
  messages: ReturnType<typeof messageModel>
  originals: ReturnType<typeof originalModel>
  /** Whether somebody with this address belongs to the workspace at this moment. */
  isMember: (workspaceId: string, email: string) => Promise<boolean>
  logger: Logger
}

export type AuthenticityChecks = AsyncDisposable & {
  /** Has a stored message's origin checked soon, and its verdict added to its row. */
  check(rowId: string): void
}

/**
 * Checks where messages come from after they are stored, so that no name server slows their arrival. Messages whose check
 * a crash cut off are found again by a sweep, at the start and then every minute.
 * @param isBusy whether mail is being stored right now
 */
export function createAuthenticityChecks(stores: Stores, judge: Judge, isBusy: () => boolean): AuthenticityChecks {
  const waiting = new Set<string>()
  const running = new Set<Promise<void>>()
  let pacing = false
  let stopped = false

  function check(rowId: string): void {
    if (stopped || waiting.size >= MAX_WAITING) return
    waiting.add(rowId)
    void runInRequest(undefined, start) // for all that waits, not for the one mail that came
  }

  async function start(): Promise<void> {
    if (pacing) return
    pacing = true
    for (const rowId of waiting) {
      if (stopped || running.size >= MAX_RUNNING) break
      waiting.delete(rowId)
      const work = judgeMessage(stores, judge, rowId).finally(() => {
        running.delete(work)
        void start()
      })
      running.add(work)
      await quietMoment(isBusy)
    }
    pacing = false
  }

  async function sweep(): Promise<void> {
    const rows = await findWaiting(stores).catch(() => [])
    for (const { _id } of rows) check(_id)
  }

  const timer = setInterval(sweep, SWEEP_MS).unref()
  void sweep()
  return {
    check,
    async [Symbol.asyncDispose]() {
      stopped = true
      clearInterval(timer)
      await judge[Symbol.asyncDispose]()
      await Promise.allSettled(running)
    },
  }
}

async function quietMoment(isBusy: () => boolean): Promise<void> {
  const latest = Date.now() + PATIENCE_MS
  await sleep(PACE_MS, undefined, { ref: false })
  while (isBusy() && Date.now() < latest) await sleep(BUSY_MS, undefined, { ref: false })
}

function findWaiting({ messages }: Stores) {
  return messages.find({ authenticityPending: true }, { _id: 1 }).sort({ receivedAt: 1 }).limit(MAX_WAITING).lean()
}

/** Whatever goes wrong with the store leaves the message waiting for the next sweep. */
async function judgeMessage(stores: Stores, judge: Judge, rowId: string): Promise<void> {
  const { messages, originals, logger } = stores
  try {
    const row = (await messages.collection.findOne(
      { _id: rowId as never, authenticityPending: true },
      { projection: { ...ORIGINAL_FIELDS, envelope: 1, from: 1, originalSender: 1 }, promoteBuffers: true },
    )) as Message | null
    if (row === null) return
    const raw = await readOriginal(originals, row)
    if (raw === null) return
    const verdict = await judge.judge(raw, row.envelope)
    const forwardedByMember = await isForwardedByMember(stores, row, verdict)
    await messages.updateOne(
      { _id: rowId },
      {
        $set: { authenticity: verdict, ...(forwardedByMember && { forwardedByMember }) },
        $unset: { authenticityPending: 1 },
      },
    )
  } catch (error) {
    logger.warn(describeError(error), 'a message’s origin could not be checked yet')
  }
}

/** Who wrote the original is a fact only as a member's word, and that it is theirs has to be proved. */
async function isForwardedByMember({ isMember }: Stores, row: Message, verdict: Authenticity): Promise<boolean> {
  if (row.originalSender === undefined || !isAuthentic(verdict)) return false
  return isMember(row.workspaceId, row.from.address.toLowerCase())
}
