import { newId } from '@family-inbox/service-kit/ids/ids'
import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { claimDue } from '@family-inbox/service-kit/mongo/claim-due'
import { earliest } from '@family-inbox/service-kit/mongo/rows'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { gauge } from '@family-inbox/service-kit/observability/metrics'
import { runInRequest } from '@family-inbox/service-kit/observability/request'
import type { Arriving } from '../arriving/store-mail.ts'
import type { FetchedMailbox } from '../models/mailbox.ts'
import { afterFailure, problemOf } from './mailbox-problem.ts'
import { MailboxTaken } from './require-held.ts'
import { runSession } from './run-session.ts'
import { tellOwner } from './tell-owner.ts'

/** Another replica takes over the mailboxes of one that died after this. */
const LEASE_MS = 10_000
const RENEW_MS = 3000
/** Connections of one process. */
const MAX_SESSIONS = 1000
/** A connection that worked for so long and ends is normal: servers restart. */
const WORKED_MS = 60_000

type Session = { row: FetchedMailbox; stop: AbortController; ended: Promise<void> }

/** Keeps a connection to each mailbox that a family added. With several replicas, one of them has it, by a lease. */
export function fetchMailboxes(ctx: Arriving): AsyncDisposable {
  const sessions = new Map<string, Session>()
  gauge('mailboxes_connected', 'Mailboxes that this process fetches mail from.', async () => sessions.size)

  async function claim(): Promise<boolean> {
    if (sessions.size >= MAX_SESSIONS) return false
    const due = { rows: ctx.mailboxes, field: 'dueAt', leaseMs: LEASE_MS, set: { holder: newId('hld') } }
    const row = await claimDue<FetchedMailbox>(due)
    if (row === null) return false
    await end(row._id) // it was changed, and so given up
    const stop = new AbortController()
    // Kept out of the trace of whoever woke this.
    const ended = runInRequest(undefined, () => fetchUntilEnd(ctx, row, stop.signal)).finally(() => {
      if (sessions.get(row._id)?.stop === stop) sessions.delete(row._id)
    })
    sessions.set(row._id, { row, stop, ended })
    return true
  }

  async function end(id: string): Promise<void> {
    const session = sessions.get(id)
    session?.stop.abort()
    await session?.ended
  }

  let renewedAt = Date.now()
  async function renew(): Promise<void> {
    const held = [...sessions.values()]
    const startedAt = Date.now()
    try {
      const holders = await renewLeases(ctx, held)
      renewedAt = startedAt
      for (const { row, stop } of held) if (!holders.has(row.holder)) stop.abort()
    } catch (error) {
      ctx.logger.warn(describeError(error), 'the leases of mailboxes could not be renewed; retrying')
      // Others may have taken them.
      if (Date.now() - renewedAt > LEASE_MS) for (const { stop } of held) stop.abort()
    }
  }

  const sweeper = startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    dueAt: () => earliest(ctx.mailboxes, 'dueAt'),
    sweep: claim,
    wake: ctx.wake.mailboxes,
    failureMessage: 'mailboxes could not be claimed; retrying',
    logger: ctx.logger,
  })
  const timer = setInterval(renew, RENEW_MS)
  return {
    async [Symbol.asyncDispose]() {
      await sweeper[Symbol.asyncDispose]()
      clearInterval(timer)
      for (const { stop } of sessions.values()) stop.abort()
      await Promise.all([...sessions.values()].map(({ ended }) => ended))
    },
  }
}

/** @returns the holders that still have their mailbox */
async function renewLeases({ mailboxes }: Arriving, held: Session[]): Promise<Set<string | undefined>> {
  if (held.length === 0) return new Set()
  const ids = held.map(({ row }) => row._id)
  const isOurs = { _id: { $in: ids }, holder: { $in: held.map(({ row }) => row.holder ?? '') } }
  await mailboxes.updateMany(isOurs, { $set: { dueAt: new Date(Date.now() + LEASE_MS) } })
  return new Set((await mailboxes.find(isOurs, { holder: 1 }).lean()).map(({ holder }) => holder))
}

/** Never rejects. */
async function fetchUntilEnd(ctx: Arriving, row: FetchedMailbox, signal: AbortSignal): Promise<void> {
  const startedAt = Date.now()
  try {
    await runSession(ctx, row, signal)
    await giveBack(ctx, row)
  } catch (error) {
    if (error instanceof MailboxTaken) return
    await recordEnd(ctx, row, error, Date.now() - startedAt).catch((failure) =>
      ctx.logger.warn(describeError(failure), 'the state of a mailbox could not be stored; its lease ends'),
    )
  }
}

/** Whoever claims it next connects at once. */
async function giveBack({ mailboxes }: Arriving, { _id, holder }: FetchedMailbox): Promise<void> {
  await mailboxes.updateOne({ _id, holder }, { $set: { dueAt: new Date() }, $unset: { holder: 1 } })
}

async function recordEnd(ctx: Arriving, row: FetchedMailbox, error: unknown, lastedMs: number): Promise<void> {
  const { _id, holder } = row
  const own = { _id, holder }
  const problem = problemOf(error)
  const current = await ctx.mailboxes.findOne(own, { failures: 1, givenUp: 1 }).lean()
  if (current === null) return
  const isNormal = problem === 'unreachable' && current.failures === 0 && lastedMs > WORKED_MS
  if (isNormal) return giveBack(ctx, row)
  ctx.logger.info({ mailbox: _id, problem, ...describeError(error) }, 'fetching a mailbox failed')
  const { failures, ...then } = afterFailure(current.failures, problem, new Date())
  const isPaused = 'paused' in then
  if (isPaused) await tellOwner(ctx, { ...row, givenUp: current.givenUp ?? 0 })
  await ctx.mailboxes.updateOne(own, {
    $set: { failures, ...then },
    $unset: { holder: 1, ...(isPaused && { dueAt: 1 }) },
    ...(isPaused && { $inc: { givenUp: 1 } }),
  })
}
