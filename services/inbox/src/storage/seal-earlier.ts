import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { sealedBytes } from '@family-inbox/service-kit/mongo/sealed-values'
import { ownedBy } from '@family-inbox/workspace-kit/row-schema'
import { sealings, sealRow } from '@family-inbox/workspace-kit/sealed-rows'
import type { Sealer, Sealing } from '@family-inbox/workspace-kit/workspace-keys'
import type { Model } from 'mongoose'
import type { Context } from '../context.ts'

const PAUSE_MS = 30_000
/** Of families. */
const BATCH = 20
/** Of rows, each of up to 16 MB. */
const ROWS = 10

/**
 * Seals what was stored before sealing began, family by family. Safe on any number of replicas: a row that changes meanwhile is
 * left to the next round, and the family is looked through again.
 */
export function sealEarlier(ctx: Context): AsyncDisposable {
  return startSweeper({
    pauseMs: PAUSE_MS,
    async sweep(signal) {
      if (!ctx.workspaceKeys.isSettled()) return false
      await makeKeys(ctx, signal)
      const waiting = await ctx.workspaceKeys.rows.find({ convertedAt: null }).limit(BATCH).lean()
      for (const { _id } of waiting) if (!signal.aborted && (await sealAll(ctx, _id))) await markConverted(ctx, _id)
      return waiting.length === BATCH
    },
    failureMessage: 'earlier mail could not be sealed; retrying',
    logger: ctx.logger,
  })
}

/** Once, for every family with mail. Newer ones have a key before they have mail. */
async function makeKeys({ connection, messages, workspaceKeys }: Context, signal: AbortSignal): Promise<void> {
  const decisions = connection.collection<Sealing>('schema')
  if ((await decisions.findOne({ _id: 'sealing' }))?.isListed) return
  for (let last = ''; !signal.aborted; ) {
    const row = await messages
      .findOne({ workspaceId: { $gt: last } }, { workspaceId: 1 })
      .sort({ workspaceId: 1 })
      .lean()
    if (row === null) return void (await decisions.updateOne({ _id: 'sealing' }, { $set: { isListed: true } }))
    await workspaceKeys.sealerOf(row.workspaceId)
    last = row.workspaceId
  }
}

async function markConverted({ workspaceKeys }: Context, _id: string): Promise<void> {
  await workspaceKeys.rows.updateOne({ _id }, { $set: { convertedAt: new Date() } })
}

/** @returns whether no row was changed by others meanwhile */
async function sealAll(ctx: Context, workspaceId: string): Promise<boolean> {
  const sealer = sealOnce(await ctx.workspaceKeys.sealerOf(workspaceId))
  let isAll = true
  for (const model of Object.values(ctx.connection.models)) {
    const filter = ownedBy(model.schema, 'workspaceId', [workspaceId])
    if (filter === undefined || sealings(model).length === 0) continue
    for (let last: unknown; ; ) {
      const rows = await model.collection
        .find({ $and: [filter, last === undefined ? {} : { _id: { $gt: last as never } }] }, { promoteBuffers: true })
        .sort({ _id: 1 })
        .limit(ROWS)
        .toArray()
      if (!(await sealRows(model, rows, sealer))) isAll = false
      last = rows.at(-1)?._id
      if (rows.length < ROWS) break
    }
  }
  return isAll
}

type Stored = Record<string, unknown>

async function sealRows(model: Model<unknown>, rows: Stored[], sealer: Sealer): Promise<boolean> {
  const updates = rows.flatMap((row) => {
    const sealed = sealRow(model, row, sealer)
    const fields = sealings(model).filter(([field]) => isChanged(row[field], sealed[field]))
    if (fields.length === 0) return []
    const filter = { _id: row._id, ...Object.fromEntries(fields.flatMap(([field]) => unlessBytes(field, row[field]))) }
    return {
      updateOne: { filter, update: { $set: Object.fromEntries(fields.map(([field]) => [field, sealed[field]])) } },
    }
  })
  if (updates.length === 0) return true
  const { matchedCount } = await model.collection.bulkWrite(updates as never[], { ordered: false })
  return matchedCount === updates.length
}

/** Bytes never change, and comparing them is expensive. */
function unlessBytes(field: string, value: unknown): [string, unknown][] {
  return value instanceof Uint8Array ? [] : [[field, value]]
}

/** Parts are copied on their way, so they are compared by what is in them. */
function isChanged(before: unknown, after: unknown): boolean {
  if (before === after || before instanceof Uint8Array !== after instanceof Uint8Array) return before !== after
  if (after instanceof Uint8Array || typeof before !== 'object' || before === null) return true
  return Object.entries(before).some(([name, value]) => isChanged(value, (after as Stored)[name]))
}

const SEALED_PREFIX_LETTERS = 8

/** Leaves what is sealed already. A prefix as it was written has at most five letters. */
function sealOnce({ seal, sealPrefixes, ...sealer }: Sealer): Sealer {
  const isSealed = (prefix: string) => [...prefix].length === SEALED_PREFIX_LETTERS
  return {
    ...sealer,
    seal: (value) => (sealedBytes(value) === undefined ? seal(value) : value),
    sealPrefixes: (prefixes) => [
      ...prefixes.filter(isSealed),
      ...sealPrefixes(prefixes.filter((prefix) => !isSealed(prefix))),
    ],
  }
}
