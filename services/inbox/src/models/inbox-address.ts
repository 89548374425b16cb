import { newId, randomText } from '@family-inbox/service-kit/ids/ids'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import { type Connection, Schema } from 'mongoose'
import { addressAt, type MailPlace } from '../own-address.ts'

/** A loved one's private address. Rows are never deleted, so no address is issued twice. */
export type InboxAddress = {
  _id: string
  workspaceId: string
  lovedOneId: string
  localPart: string
  createdAt: Date
  sandbox?: true
  /** Remaining quota of an unclaimed sandbox. Absent: no limit. */
  quota?: { messages: number; bytes: number }
  removedAt?: Date
  retiredAt?: Date
}

export const NOT_RETIRED = { retiredAt: { $exists: false } }

/** 80 random bits: impossible to guess, and still readable over the phone. */
const LOCAL_PART_LENGTH = 16

const schema = rowSchema<InboxAddress>(
  'inbox_addresses',
  {
    _id: String,
    workspaceId: String,
    lovedOneId: String,
    localPart: String,
    createdAt: Date,
    sandbox: Boolean,
    quota: Schema.Types.Mixed,
    removedAt: Date,
    retiredAt: Date,
  },
  { workspaceId: 'apart' },
  { global: 'mail names the address, and no address is issued twice', rowsPerWorkspace: 1.3, rowBytes: 300 },
)
schema.index({ localPart: 1 }, { unique: true })
schema.index({ workspaceId: 1, lovedOneId: 1 }, { unique: true, partialFilterExpression: { retiredAt: null } })

export function inboxAddressModel(connection: Connection) {
  return connection.model('InboxAddress', schema)
}

export function newAddress(): Pick<InboxAddress, '_id' | 'localPart' | 'createdAt'> {
  return { _id: newId('adr'), localPart: randomText(LOCAL_PART_LENGTH), createdAt: new Date() }
}

export function formatAddress({ localPart }: Pick<InboxAddress, 'localPart'>, place: MailPlace): string {
  return addressAt(place, localPart)
}

/** The newest address of a loved one's inbox. It may be retired by now. @throws when there never was one */
export function newestAddress(
  { inboxAddresses }: { inboxAddresses: ReturnType<typeof inboxAddressModel> },
  { workspaceId, lovedOneId }: { workspaceId: string; lovedOneId: string },
): Promise<InboxAddress> {
  return inboxAddresses.findOne({ workspaceId, lovedOneId }).sort({ createdAt: -1 }).lean().orFail().exec()
}

/** Replies come back to the loved one's address, so there must be an active one. */
export async function requireActiveAddress(
  { inboxAddresses }: { inboxAddresses: ReturnType<typeof inboxAddressModel> },
  workspaceId: string,
  { lovedOneId }: { lovedOneId: string },
): Promise<void> {
  if (await inboxAddresses.exists({ workspaceId, lovedOneId, ...NOT_RETIRED })) return
  throw new StatusError('FAILED_PRECONDITION', 'This inbox has no active address. Create a new one to reply.')
}
