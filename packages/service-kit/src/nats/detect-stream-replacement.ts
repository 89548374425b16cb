import type { Connection } from 'mongoose'
import type { NatsConnection } from 'nats'
import { startSweeper } from '../lifecycle/sweep.ts'
import type { Logger } from '../observability/logger.ts'

export type StreamInUse = {
  connection: Promise<NatsConnection>
  stream: string
  database: Connection
  /** Restores what the old stream lost. May be called twice. @param madeAt when the new stream was created */
  replace(madeAt: Date): Promise<void>
  logger: Logger
}

type SeenStream = { _id: string; created: string }

const SWEEP_EVERY_MS = 5000
const SETTLED_MS = 3000

/** Detects that a stream was replaced: NATS lost its disks, or starts empty beside a restored database. */
export function detectStreamReplacement(inUse: StreamInUse): AsyncDisposable {
  const { stream, logger } = inUse
  const failureMessage = `stream ${stream} cannot be checked yet`
  return startSweeper({ everyMs: SWEEP_EVERY_MS, sweep: () => compare(inUse), failureMessage, logger })
}

async function compare({ connection, stream, database, replace }: StreamInUse): Promise<false> {
  const { streams } = await (await connection).jetstreamManager({ timeout: 1500 })
  const { created } = await streams.info(stream)
  const seen = database.collection<SeenStream>('streams')
  const isKnown = (await seen.findOne({ _id: stream }))?.created === created
  if (isKnown || Date.now() - Date.parse(created) < SETTLED_MS) return false
  await replace(new Date(created))
  await seen.updateOne({ _id: stream }, { $set: { created } }, { upsert: true })
  return false
}
