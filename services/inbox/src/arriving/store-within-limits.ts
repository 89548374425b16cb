import { describeError } from '@family-inbox/service-kit/observability/logger'
import { count } from '@family-inbox/service-kit/observability/metrics'
import { HOUR_MS } from '@family-inbox/service-kit/time/days'
import type { Context } from '../context.ts'
import type { Inbox } from '../models/message.ts'
import type { StorageUse } from '../models/storage-use.ts'
import { findStorageUse, NEARLY_FULL, recountStorage, releaseBytes, warnOwner } from '../storage/storage-use.ts'
import { refusals } from './refusals.ts'
import { type Arriving, type ReadableMail, storeMail } from './store-mail.ts'

const RECOUNT_MS = 60_000
const TRIES = 3
/** No journaling: the next exact count corrects what a crash loses. */
const UNJOURNALED = { writeConcern: { w: 1, journal: false }, returnDocument: 'after' } as const

const overLimit = count({
  name: 'mail_over_limit_total',
  help: 'Mails deferred because of a limit, by limit.',
  labels: ['limit'] as const,
})

/** A failed delivery keeps its reservation until the next exact count. Earlier mail of a mailbox does not count for the hour. */
export async function storeWithinLimits(ctx: Arriving, inbox: Inbox, mail: ReadableMail): Promise<void> {
  const { bytes, warnedAt } = await reserveStorage(ctx, inbox, mail)
  if (!(await storeMail(ctx, inbox, mail))) await releaseBytes(ctx, inbox.workspaceId, mail.raw.length)
  if (bytes < ctx.config.storageBytes * NEARLY_FULL || warnedAt !== undefined) return
  // The next mail tries again.
  void warnOwner(ctx, inbox.workspaceId).catch((error) =>
    ctx.logger.warn(describeError(error), 'a storage warning could not be sent; the next mail retries'),
  )
}

type Owner = Pick<Inbox, 'workspaceId' | 'addressId'>

async function reserveStorage(ctx: Context, owner: Owner, { raw, isEarlier }: ReadableMail): Promise<StorageUse> {
  const bytes = raw.length
  for (let tries = 0; tries < TRIES; tries += 1) {
    const use = isEarlier
      ? await reserve(ctx, owner, bytes, {}, { $inc: { bytes } })
      : ((await reserveInCurrentHour(ctx, owner, bytes)) ?? (await reserveInNewHour(ctx, owner, bytes)))
    if (use !== undefined) return use
    await requireStorage(ctx, owner, bytes)
  }
  throw refusals.tryLater()
}

/** Throws Refusal 452. `bytes` is 0 if unknown. */
export async function requireStorage(ctx: Context, { workspaceId, addressId }: Owner, bytes: number): Promise<void> {
  const isFull = (one: StorageUse) => one.bytes + Math.max(bytes, 1) > ctx.config.storageBytes
  let use = await findStorageUse(ctx, workspaceId)
  if (isFull(use)) use = await recountStorage(ctx, use, RECOUNT_MS)
  if (isFull(use)) {
    overLimit.inc({ limit: 'storage' })
    throw refusals.storageFull()
  }
  const { hour, messages = 0 } = use.arrivals[addressId] ?? {}
  if (hour !== thisHour() || messages < ctx.config.messagesPerHour) return
  overLimit.inc({ limit: 'hour' })
  throw refusals.tooMuchMail()
}

function reserveInCurrentHour(ctx: Context, owner: Owner, bytes: number): Promise<StorageUse | undefined> {
  const { hour, messages } = fieldsOf(owner)
  const isOpen = { [hour]: thisHour(), [messages]: { $lt: ctx.config.messagesPerHour } }
  return reserve(ctx, owner, bytes, isOpen, { $inc: { bytes, [messages]: 1 } })
}

function reserveInNewHour(ctx: Context, owner: Owner, bytes: number): Promise<StorageUse | undefined> {
  const { hour, messages } = fieldsOf(owner)
  const now = thisHour()
  return reserve(ctx, owner, bytes, { [hour]: { $ne: now } }, { $inc: { bytes }, $set: { [hour]: now, [messages]: 1 } })
}

async function reserve(ctx: Context, { workspaceId }: Owner, bytes: number, isOpen: object, change: object) {
  const filter = { _id: workspaceId, bytes: { $lte: ctx.config.storageBytes - bytes }, ...isOpen }
  const row = await ctx.storageUses.collection.findOneAndUpdate(filter as never, change, UNJOURNALED)
  return (row as StorageUse | null) ?? undefined
}

function fieldsOf({ addressId }: Owner): { hour: string; messages: string } {
  return { hour: `arrivals.${addressId}.hour`, messages: `arrivals.${addressId}.messages` }
}

function thisHour(): number {
  return Math.floor(Date.now() / HOUR_MS)
}
