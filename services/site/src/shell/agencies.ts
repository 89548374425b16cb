import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { asPerson } from './session.ts'
import type { Visit } from './visit.ts'
import type { LovedOne, Workspace } from './workspace.ts'

const UNAVAILABLE = new Set<string>(['UNAVAILABLE', 'DEADLINE_EXCEEDED'])

export type LinkedAgency = {
  linkId: string
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
    return providers.flatMap(({ linkId, name, lovedOneId, shared: isSharing, linkedAt }) => {
      const lovedOne = lovedOnes.find(({ id }) => id === lovedOneId)
      return lovedOne ? [{ linkId, name, lovedOne, isSharing, linkedAt }] : []
    })
  } catch (error) {
    if (error instanceof StatusError && UNAVAILABLE.has(error.status)) return undefined
    throw error
  }
}
