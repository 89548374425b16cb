import { newId } from '@family-inbox/service-kit/ids/ids'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import type { Sandbox } from '../models/sandbox.ts'
import type { StartRequest } from '../start-request/read-start-request.ts'

/** Longer than any call that makes a part of a sandbox can still be under way. */
const MAKING_MS = 30_000
/** For the answer to reach whoever waits for it. */
const MARGIN_MS = 150

/** A sandbox to be made, and until when its agent waits for it, in milliseconds since 1970. */
export type Making = { sandbox: Sandbox; deadline: number }

export type OpenSandbox = Sandbox & { inboxAddress: string }

/**
 * Makes sandboxes that were asked for at about the same time: rows here that say so, then their records in care-circle and
 * inbox, then the rows say that they are open. One that fails is removed by the sweeper. What a crash leaves half-way, the
 * sweeper completes: its agent may have had the answer.
 *
 * The rows here must not be lost before the records are made: a record whose write the driver tries again when MongoDB is back
 * would belong to nothing, and stay for good. That a sandbox is open the sweeper finds out again, should it be lost.
 * @returns those that were opened; undefined for one that would have been late, or could not be
 * @throws when a part of the system is away
 */
export async function makeSandboxes(ctx: Context, makings: Making[]): Promise<(OpenSandbox | undefined)[]> {
  const sandboxes = makings.map(({ sandbox }) => sandbox)
  await ctx.sandboxes.collection.insertMany(sandboxes as never[], { ordered: false, ignoreUndefined: true })
  try {
    const addresses = await makeRecords(ctx, sandboxes, Math.max(...makings.map(({ deadline }) => deadline)))
    const inTime = makings.map(({ deadline }, index) => (Date.now() < deadline - MARGIN_MS ? addresses[index] : ''))
    return await open(ctx, sandboxes, inTime)
  } catch (error) {
    await leaveToSweeper(ctx, sandboxes).catch(() => {}) // then they are completed, and nobody will claim them
    throw error
  }
}

/** Completes sandboxes that were left half made. Doing it twice does no harm. */
export async function completeSandboxes(ctx: Context, sandboxes: Sandbox[], deadline: number): Promise<void> {
  if (sandboxes.length === 0) return
  await open(ctx, sandboxes, await makeRecords(ctx, sandboxes, deadline))
}

/** The row of a sandbox that is about to be made. */
export function newSandbox({ config }: Context, startRequest: StartRequest): Sandbox {
  const { primaryCaregiverEmail: _, ...kept } = startRequest
  const now = Date.now()
  return {
    _id: newId('ws'),
    lovedOneId: newId('lo'),
    state: 'making',
    ...kept,
    createdAt: new Date(now),
    expiresAt: new Date(now + config.ttlMs),
    dueAt: new Date(now + MAKING_MS),
  }
}

/** Said of a sandbox that was not opened. */
export function notMade(): StatusError {
  return new StatusError('UNAVAILABLE', 'This is taking too long. Try again in a moment.')
}

/** @returns the address of each, empty for one that has ended */
async function makeRecords(ctx: Context, sandboxes: Sandbox[], deadline: number): Promise<string[]> {
  const on = { deadline: deadline - MARGIN_MS }
  const workspaces = sandboxes.map(({ _id: workspaceId, familyName: name, lovedOneId, lovedOneName }) => {
    return { workspaceId, name, lovedOneId, lovedOneName }
  })
  const [, { addresses }] = await Promise.all([
    ctx.careCircle.createSandboxWorkspaces({ workspaces }, on),
    ctx.inbox.allocateSandboxAddresses({ lovedOnes: workspaces }, on),
  ])
  return addresses
}

/** Opens those that have an address, and leaves the others to the sweeper. */
async function open(ctx: Context, sandboxes: Sandbox[], addresses: (string | undefined)[]) {
  const opened = sandboxes.map((sandbox, index): OpenSandbox | undefined => {
    const inboxAddress = addresses[index]
    return inboxAddress ? { ...sandbox, inboxAddress } : undefined
  })
  const updates = opened.flatMap((sandbox) => {
    if (sandbox === undefined) return []
    const { _id, inboxAddress, expiresAt } = sandbox
    const isOpen = { state: 'open', inboxAddress, dueAt: expiresAt }
    return [{ updateOne: { filter: { _id: _id as never, state: 'making' }, update: { $set: isOpen } } }]
  })
  if (updates.length > 0) await ctx.sandboxes.collection.bulkWrite(updates, IN_MEMORY)
  const others = sandboxes.filter((_, index) => opened[index] === undefined)
  if (others.length > 0) await leaveToSweeper(ctx, others)
  return opened
}

async function leaveToSweeper(ctx: Context, sandboxes: Sandbox[]): Promise<void> {
  const ids = sandboxes.map(({ _id }) => _id)
  await ctx.sandboxes.updateMany({ _id: { $in: ids }, state: 'making' }, { $set: { state: 'removing' } })
}

/** Acknowledged as soon as MongoDB has it. */
const IN_MEMORY = { ordered: false, writeConcern: { w: 1 } } as const
