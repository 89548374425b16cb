import type { Call } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { requireEmail } from '@family-inbox/service-kit/rpc/text-rules'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import { MAX_COPIES } from '@family-inbox/workspace-kit/reply-copies'
import type { Context } from '../context.ts'
import { correspondentId } from '../models/correspondent.ts'
import { isOwnAddress } from '../own-address.ts'

export type Recipient = { address: string; isVerified: boolean }

/**
 * Who else gets a mail to `to`: only people from the address book, and only when a person asks.
 * @throws StatusError INVALID_ARGUMENT that names the first other address
 */
export async function requireCopies(
  ctx: Context,
  call: Call,
  workspaceId: string,
  to: string,
  written: readonly string[] = [],
): Promise<Recipient[]> {
  if (written.length === 0) return []
  requirePerson(call)
  const addresses = [...new Set(written.map((one) => requireEmail('cc', one)))].filter((one) => one !== to)
  if (addresses.length > MAX_COPIES) throw invalidArgument('cc', `Cc can have up to ${MAX_COPIES} addresses.`)
  const known = await findCorrespondents(ctx, workspaceId, addresses)
  return addresses.map((address) => {
    if (isOwnAddress(ctx.config, address)) throw invalidArgument('cc', `${address} is an inbox of this service.`)
    const isVerified = known.get(address)
    if (isVerified === undefined) throw invalidArgument('cc', `${address} is not in your family’s address book.`)
    return { address, isVerified }
  })
}

/** Those in the address book, each with whether mail from there was proven. */
export async function findCorrespondents(
  { correspondents }: Context,
  workspaceId: string,
  addresses: string[],
): Promise<ReadonlyMap<string, boolean>> {
  const ids = addresses.map((address) => correspondentId(workspaceId, address))
  const rows = await correspondents.find({ _id: { $in: ids } }, { address: 1, isProven: 1 }).lean()
  return new Map(rows.map(({ address, isProven = false }) => [address, isProven]))
}

/** As the row of a reply has it. */
export function toCc(copies: Recipient[]): { cc?: string[] } {
  return copies.length === 0 ? {} : { cc: copies.map(({ address }) => address) }
}
