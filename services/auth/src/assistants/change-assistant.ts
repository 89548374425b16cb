import { Access } from '@family-inbox/proto/auth/v1/auth'
import type { Call } from '@family-inbox/service-kit/rpc/call'
import type { LimitedAccess } from '@family-inbox/service-kit/rpc/identity'
import { requireRecentSignIn } from '@family-inbox/service-kit/rpc/recent-sign-in'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import type { mongo } from 'mongoose'
import { fromWireAccess } from '../wire.ts'

type Change = { access?: Access | undefined; paused?: boolean | undefined }

const CHOICES: readonly Access[] = [Access.READ, Access.APPROVAL, Access.WRITE]

/**
 * Changes what a tool key or connected app may do. The update that admits a call reads the same row, so the change counts for
 * every call that starts after it. @returns false when there is none
 */
export async function changeAssistant(
  assistants: mongo.Collection,
  own: mongo.Document,
  { access, paused }: Change,
  call: Call,
): Promise<boolean> {
  if (access !== undefined && !CHOICES.includes(access))
    throw invalidArgument('access', 'access must be read, approval or write.')
  const row = await assistants.findOne<{ access?: LimitedAccess }>(own, { projection: { access: 1 } })
  if (row === null) return false
  const wanted = fromWireAccess(access)
  if (isMore(row.access, { access, paused })) requireRecentSignIn(call)
  // Skips an assistant that somebody limited further since: that needs a look at what is now allowed.
  const unchanged = access === undefined ? own : { ...own, access: row.access ?? null }
  const $set = { ...(wanted && { access: wanted }), ...(paused && { pausedAt: new Date() }) }
  const $unset = { ...(access === Access.WRITE && { access: '' }), ...(paused === false && { pausedAt: '' }) }
  if (Object.keys({ ...$set, ...$unset }).length === 0) return true
  const changed = await assistants.updateOne(unchanged, {
    ...(Object.keys($set).length > 0 && { $set }),
    ...(Object.keys($unset).length > 0 && { $unset: $unset as mongo.UpdateFilter<mongo.Document>['$unset'] }),
  })
  return changed.matchedCount === 1 || changeAssistant(assistants, own, { access, paused }, call)
}

function isMore(held: LimitedAccess | undefined, { access, paused }: Change): boolean {
  return paused === false || (access !== undefined && powerOf(fromWireAccess(access)) > powerOf(held))
}

export function powerOf(access: LimitedAccess | undefined): number {
  return access === undefined ? 2 : access === 'approval' ? 1 : 0
}
