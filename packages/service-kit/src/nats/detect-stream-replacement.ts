import type { Connection } from 'mongoose'
import type { NatsConnection } from 'nats'
import { startSweeper } from '../lifecycle/sweep.ts'
import type { Logger } from '../observability/logger.ts'

export type StreamInUse = {
  connection: Promise<NatsConnection>
  stream: string
  /** Where it is noted which one was last seen. */
  database: Connection
  /**
   * Deals with what was in the old stream and is in none now. It may be called twice.
   * @param madeAt when the new one was made
   */
  replace(madeAt: Date): Promise<void>
  logger: Logger
}

/** A stream as it was last seen, by its name: when nats-server made it, as nats-server says it. */
type SeenStream = { _id: string; created: string }

const SWEEP_EVERY_MS = 5000
/** By then whoever put something into the old stream has noted it. */
const SETTLED_MS = 3000

/**
 * Notices that a stream is another one than before: NATS lost its disks, or starts empty beside a restored database. What
 * was in it is then dealt with by the rows it came from, once the new one is there.
 */
export function detectStreamReplacement(inUse: StreamInUse): AsyncDisposable {
  const { stream, logger } = inUse
  const trouble = `the stream ${stream} cannot be looked at yet`
  return startSweeper({ everyMs: SWEEP_EVERY_MS, sweep: () => compare(inUse), trouble, logger })
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
