import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { LovedOne, Workspace } from '../shell/workspace.ts'

const UNAVAILABLE = new Set<string>(['UNAVAILABLE', 'DEADLINE_EXCEEDED'])

export type LinkedAgency = {
  name: string
  lovedOne: LovedOne
  /** The agency decides this, not the family. */
  isSharing: boolean
  linkedAt: Date | undefined
}

/** Reads the linked agencies; undefined while the pipe service is unavailable. */
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
    if (error instanceof StatusError && UNAVAILABLE.has(error.status)) return undefined
    throw error
  }
}
