import type { LimitedAccess } from '@family-inbox/service-kit/rpc/identity'
import { powerOf } from '../assistants/change-assistant.ts'
import type { Grant } from '../models/grant.ts'

export const CHOICES = ['read', 'approval', 'write'] as const

/** Without it an app can only read, whatever it is granted later. */
export const WRITE_SCOPE = 'care_circle:write'

export type HeldAccess = Pick<Grant, '_id' | 'scopes' | 'access'>

type Choice = {
  requested: readonly string[]
  /** The granted ones of the requested scopes. */
  granted: readonly string[]
  access: (typeof CHOICES)[number]
}

/**
 * Returns an app’s access after this choice, and whether that is more than it has now. Access that was not asked for stays as it is,
 * the limit on writing included.
 */
export function accessAfter(held: HeldAccess | undefined, { requested, granted, access }: Choice) {
  const denied = requested.filter((scope) => !granted.includes(scope))
  const scopes = [...new Set([...(held?.scopes ?? []), ...granted])].filter((scope) => !denied.includes(scope))
  const limit = granted.includes(WRITE_SCOPE) ? limitOf(access) : held?.access
  const isMore =
    held === undefined || scopes.some((scope) => !held.scopes.includes(scope)) || isWider(held, scopes, limit)
  return { scopes, denied, limit, isMore }
}

function limitOf(access: Choice['access']): LimitedAccess | undefined {
  return access === 'approval' ? 'approval' : undefined
}

function isWider(held: HeldAccess, scopes: string[], limit: LimitedAccess | undefined): boolean {
  return scopes.includes(WRITE_SCOPE) && powerOf(limit) > powerOf(held.access)
}
