import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { LovedOne, Workspace } from '../shell/workspace.ts'

/** A care agency that was given a code for a loved one. */
export type LinkedAgency = {
  name: string
  lovedOne: LovedOne
  /** Whether it shares what it does with the family now; the agency decides that. */
  isSharing: boolean
  linkedAt: Date | undefined
}

/** The agencies that are linked to the household's loved ones; undefined while that cannot be told. */
export async function readAgencies(
  ctx: Context,
  visit: Visit,
  { session, lovedOnes }: Workspace,
): Promise<LinkedAgency[] | undefined> {
  try {
    const { providers } = await ctx.pipe.listLinkedProviders({ lovedOneId: '' }, asPerson(session, visit))
    return providers.flatMap(({ name, lovedOneId, shared: isSharing, linkedAt }) => {
      const lovedOne = lovedOnes.find(({ id }) => id === lovedOneId)
      return lovedOne ? [{ name, lovedOne, isSharing, linkedAt }] : []
    })
  } catch (error) {
    // The rest of the page is worth showing without them.
    if (error instanceof StatusError && AWAY.has(error.status)) return undefined
    throw error
  }
}

const AWAY = new Set<string>(['UNAVAILABLE', 'DEADLINE_EXCEEDED'])
