import { setTimeout as sleep } from 'node:timers/promises'
import { describeError, type Logger } from '@family-inbox/service-kit/observability/logger'
import { runInRequest } from '@family-inbox/service-kit/observability/request'
import { type Authenticity, isAuthentic, type Message, type messageModel } from '../models/message.ts'
import { ORIGINAL_FIELDS, type originalModel, readOriginal } from '../models/original.ts'
import type { MailAuthenticator } from './mail-authenticator.ts'

/** The sweep finds the rest. */
const MAX_WAITING = 1000
const MAX_RUNNING = 2
const PACE_MS = 5
/** A check waits while mail is arriving, but no longer than this. */
const MAX_DELAY_MS = 2000
const BUSY_MS = 50
const SWEEP_MS = 60_000

type Stores = {
  messages: ReturnType<typeof messageModel>
  originals: ReturnType<typeof originalModel>
  isMember: (workspaceId: string, email: string) => Promise<boolean>
  logger: Logger
}

export type AuthenticityChecks = AsyncDisposable & {
  check(rowId: string): void
}

/** Runs after messages are stored, so slow DNS never delays delivery. A sweep repeats checks cut off by a crash. */
export function createAuthenticityChecks(
  stores: Stores,
  authenticator: MailAuthenticator,
  isBusy: () => boolean,
): AuthenticityChecks {
  const waiting = new Set<string>()
  const running = new Set<Promise<void>>()
  let pacing = false
  let stopped = false

  function check(rowId: string): void {
    if (stopped || waiting.size >= MAX_WAITING) return
    waiting.add(rowId)
    void runInRequest(undefined, start) // not part of the delivery's trace
  }

  async function start(): Promise<void> {
    if (pacing) return
    pacing = true
    for (const rowId of waiting) {
      if (stopped || running.size >= MAX_RUNNING) break
      waiting.delete(rowId)
      const work = checkMessage(stores, authenticator, rowId).finally(() => {
        running.delete(work)
        void start()
      })
      running.add(work)
      await waitWhileBusy(isBusy)
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
      await authenticator[Symbol.asyncDispose]()
      await Promise.allSettled(running)
    },
  }
}

async function waitWhileBusy(isBusy: () => boolean): Promise<void> {
  const latest = Date.now() + MAX_DELAY_MS
  await sleep(PACE_MS, undefined, { ref: false })
  while (isBusy() && Date.now() < latest) await sleep(BUSY_MS, undefined, { ref: false })
}

function findWaiting({ messages }: Stores) {
  return messages.find({ authenticityPending: true }, { _id: 1 }).sort({ receivedAt: 1 }).limit(MAX_WAITING).lean()
}

/** On failure, the message stays pending until the next sweep. */
async function checkMessage(stores: Stores, authenticator: MailAuthenticator, rowId: string): Promise<void> {
  const { messages, originals, logger } = stores
  try {
    const row = (await messages.collection.findOne(
      { _id: rowId as never, authenticityPending: true },
      { projection: { ...ORIGINAL_FIELDS, envelope: 1, from: 1, originalSender: 1 }, promoteBuffers: true },
    )) as Message | null
    if (row === null) return
    const raw = await readOriginal(originals, row)
    if (raw === null) return
    const verdict = await authenticator.authenticate(raw, row.envelope)
    const forwardedByMember = await isForwardedByMember(stores, row, verdict)
    await messages.updateOne(
      { _id: rowId },
      {
        $set: { authenticity: verdict, ...(forwardedByMember && { forwardedByMember }) },
        $unset: { authenticityPending: 1 },
      },
    )
  } catch (error) {
    logger.warn(describeError(error), 'a message could not be authenticated; the sweep will retry')
  }
}

/** The original sender is only the forwarder's claim, so the forwarder must be an authenticated member. */
async function isForwardedByMember({ isMember }: Stores, row: Message, verdict: Authenticity): Promise<boolean> {
  if (row.originalSender === undefined || !isAuthentic(verdict)) return false
  return isMember(row.workspaceId, row.from.address.toLowerCase())
}
