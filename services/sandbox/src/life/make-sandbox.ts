import { newId } from '@family-inbox/service-kit/ids'
import { StatusError } from '@family-inbox/service-kit/status-error'
import type { Context } from '../context.ts'
import type { Sandbox } from '../models/sandbox.ts'
import type { Wish } from '../wish/read-wish.ts'

/** Longer than any call that makes a part of a sandbox can still be under way. */
const MAKING_MS = 30_000
/** For the answer to reach whoever waits for it. */
const MARGIN_MS = 150

export type OpenSandbox = Sandbox & { inboxAddress: string }

/**
 * Makes a sandbox: a row here that says so, then its records in care-circle and inbox, then the row says that it is open.
 * Whatever ends this half-way leaves a row that never opens, and the sweeper removes what there is: the agent had no
 * answer, and starts another.
 * @param deadline milliseconds since 1970; a sandbox that would be late is not opened
 * @throws StatusError UNAVAILABLE when a part of the system is away
 */
export async function makeSandbox(ctx: Context, wish: Wish, deadline: number): Promise<OpenSandbox> {
  const sandbox = toSandbox(ctx, wish)
  await ctx.sandboxes.collection.insertOne(sandbox as never, { ignoreUndefined: true })
  const on = { deadline: deadline - MARGIN_MS }
  const { _id: workspaceId, lovedOneId, lovedOneName, familyName } = sandbox
  const [, { address }] = await Promise.all([
    ctx.careCircle.createSandboxWorkspace({ workspaceId, name: familyName, lovedOneId, lovedOneName }, on),
    ctx.inbox.allocateSandboxAddress({ workspaceId, lovedOneId }, on),
  ])
  await open(ctx, sandbox, address, deadline)
  return { ...sandbox, inboxAddress: address }
}

async function open(ctx: Context, { _id, expiresAt }: Sandbox, inboxAddress: string, deadline: number): Promise<void> {
  const isInTime = Date.now() < deadline - MARGIN_MS
  const opened =
    isInTime &&
    (await ctx.sandboxes.collection.updateOne(
      { _id: _id as never, state: 'making' },
      { $set: { state: 'open', inboxAddress, dueAt: expiresAt } },
    ))
  if (!opened || opened.matchedCount === 0)
    throw new StatusError('UNAVAILABLE', 'This is taking too long. Try again in a moment.')
}

function toSandbox({ config }: Context, wish: Wish): Sandbox {
  const { primaryCaregiverEmail: _, ...kept } = wish
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
