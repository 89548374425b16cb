import type { Context } from '../context.ts'
import type { Household, LovedOne } from '../household.ts'
import type { Visit } from '../http/visit.ts'
import { asPerson } from '../session.ts'

/** A loved one with the address that takes their mail, when they have one. */
export type AddressedLovedOne = LovedOne & { address?: string }

/** The household's loved ones with their addresses. */
export async function readLovedOnes(ctx: Context, visit: Visit, household: Household): Promise<AddressedLovedOne[]> {
  const { addresses } = await ctx.inbox.listInboxAddresses({}, asPerson(household.session, visit))
  const addressOf = new Map(addresses.map(({ lovedOneId, address }) => [lovedOneId, address]))
  return household.lovedOnes.map((one) => ({ ...one, address: addressOf.get(one.id) }))
}
