import { newId } from '@family-inbox/service-kit/ids/ids'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import type { Sandbox } from '../models/sandbox.ts'
import type { StartRequest } from '../start-request.ts'

/** Longer than any call that creates part of a sandbox. */
const CREATING_MS = 30_000
const MARGIN_MS = 150
const UNJOURNALED = { ordered: false, writeConcern: { w: 1 } } as const

export type PendingSandbox = { sandbox: Sandbox; deadline: number }

export type OpenSandbox = Sandbox & { inboxAddress: string }

/** The first write is durable: a record retried after its row was lost would stay forever. The sweeper cleans up. */
export async function createSandboxes(ctx: Context, pending: PendingSandbox[]): Promise<(OpenSandbox | undefined)[]> {
  const sandboxes = pending.map(({ sandbox }) => sandbox)
  await ctx.sandboxes.collection.insertMany(sandboxes as never[], { ordered: false, ignoreUndefined: true })
  try {
    const addresses = await createRecords(ctx, sandboxes, Math.max(...pending.map(({ deadline }) => deadline)))
    const inTime = pending.map(({ deadline }, index) => (Date.now() < deadline - MARGIN_MS ? addresses[index] : ''))
    return await open(ctx, sandboxes, inTime)
  } catch (error) {
    await leaveToSweeper(ctx, sandboxes).catch(() => {}) // the sweeper then completes them, and they expire
    throw error
  }
}

export async function completeSandboxes(ctx: Context, sandboxes: Sandbox[], deadline: number): Promise<void> {
  if (sandboxes.length === 0) return
  await open(ctx, sandboxes, await createRecords(ctx, sandboxes, deadline))
}

export function newSandbox({ config }: Context, startRequest: StartRequest): Sandbox {
  const { primaryCaregiverEmail: _, ...kept } = startRequest
  const now = Date.now()
  return {
    _id: newId('ws'),
    lovedOneId: newId('lo'),
    state: 'creating',
    ...kept,
    createdAt: new Date(now),
    expiresAt: new Date(now + config.ttlMs),
    dueAt: new Date(now + CREATING_MS),
  }
}

export function notCreated(): StatusError {
  return new StatusError('UNAVAILABLE', 'This is taking too long. Try again in a moment.')
}

/** @returns one address each, empty for a sandbox that has ended */
async function createRecords(ctx: Context, sandboxes: Sandbox[], deadline: number): Promise<string[]> {
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

async function open(ctx: Context, sandboxes: Sandbox[], addresses: (string | undefined)[]) {
  const opened = sandboxes.map((sandbox, index): OpenSandbox | undefined => {
    const inboxAddress = addresses[index]
    return inboxAddress ? { ...sandbox, inboxAddress } : undefined
  })
  const updates = opened.flatMap((sandbox) => {
    if (sandbox === undefined) return []
    const { _id, inboxAddress, expiresAt } = sandbox
    const isOpen = { state: 'open', inboxAddress, dueAt: expiresAt }
    return [{ updateOne: { filter: { _id: _id as never, state: 'creating' }, update: { $set: isOpen } } }]
  })
  if (updates.length > 0) await ctx.sandboxes.collection.bulkWrite(updates, UNJOURNALED)
  const others = sandboxes.filter((_, index) => opened[index] === undefined)
  if (others.length > 0) await leaveToSweeper(ctx, others)
  return opened
}

async function leaveToSweeper(ctx: Context, sandboxes: Sandbox[]): Promise<void> {
  const ids = sandboxes.map(({ _id }) => _id)
  await ctx.sandboxes.updateMany({ _id: { $in: ids }, state: 'creating' }, { $set: { state: 'removing' } })
}
