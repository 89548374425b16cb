import type { Connection } from 'mongoose'
import { startSweeper } from '../lifecycle/sweep.ts'
import type { Logger } from '../observability/logger.ts'
import { count } from '../observability/metrics.ts'
import type { NatsConnection } from './client.ts'

export type StreamInUse = {
  connection: Promise<NatsConnection>
  stream: string
  database: Connection
  /** Restores what it can. May be called twice. */
  onLoss?(): Promise<void>
  logger: Logger
}

type SeenStream = { _id: string; created: string; lastSeq?: number }

const PAUSE_MS = 15_000
/** A server that is cut off from the others may answer from an older state once. */
const SUSPECTED_MS = 5000

const losses = count({
  name: 'stream_losses_total',
  help: 'How often a NATS stream lost messages: it was recreated, or its end was cut off.',
  labels: ['stream'],
})

/** Detects that a stream lost its end: NATS lost its disks, its files were damaged, or it starts empty beside a restored database. */
export function detectStreamLoss(inUse: StreamInUse): AsyncDisposable {
  const { stream, logger } = inUse
  const failureMessage = `stream ${stream} cannot be checked yet`
  losses.inc({ stream }, 0)
  let suspected = false
  let checkAt = new Date(0)
  const sweep = async () => {
    const loss = await findLoss(inUse)
    if (loss && suspected) await reportLoss(inUse, loss)
    suspected = loss !== undefined
    checkAt = new Date(Date.now() + (suspected ? SUSPECTED_MS : PAUSE_MS))
    return false
  }
  return startSweeper({ pauseMs: PAUSE_MS, dueAt: async () => checkAt, sweep, failureMessage, logger })
}

type Loss = { seen: SeenStream; now: SeenStream }

/** Remembers the state of a stream that lost nothing. */
async function findLoss({ connection, stream, database }: StreamInUse): Promise<Loss | undefined> {
  const { streams } = await (await connection).jetstreamManager({ timeout: 1500, checkAPI: false })
  const rows = rowsOf(database)
  // Read first: sequence numbers only grow, so a stream without loss is at least as far as what was seen.
  const seen = await rows.findOne({ _id: stream })
  const { created, state } = await streams.info(stream)
  const now = { _id: stream, created, lastSeq: state.last_seq }
  if (seen !== null && (seen.created !== created || (seen.lastSeq ?? 0) > state.last_seq)) return { seen, now }
  if (seen?.lastSeq === state.last_seq) return undefined
  await rows.updateOne(
    { _id: stream, ...(seen && { created }) },
    { $set: { created }, $max: { lastSeq: state.last_seq } },
    {
      upsert: seen === null,
    },
  )
  return undefined
}

async function reportLoss({ stream, database, onLoss, logger }: StreamInUse, { seen, now }: Loss): Promise<void> {
  await onLoss?.()
  const { modifiedCount } = await rowsOf(database).updateOne(seen, { $set: now })
  if (modifiedCount === 0) return // another replica reports it
  losses.inc({ stream })
  const ends = { before: seen.lastSeq, after: now.lastSeq, recreated: seen.created !== now.created }
  logger.error({ stream, ...ends }, 'a NATS stream lost messages: its files were damaged or removed')
}

function rowsOf(database: Connection) {
  return database.collection<SeenStream>('streams')
}
