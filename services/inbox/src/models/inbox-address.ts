import { newId, randomText } from '@family-inbox/service-kit/ids/ids'
import { type Connection, Schema } from 'mongoose'

/** A loved one's private address. A row is never deleted, so that no address is ever issued again. */
export type InboxAddress = {
  _id: string
  workspaceId: string
  lovedOneId: string
  /** What stands before the @, in lower case: random, so that nobody can guess it. */
  localPart: string
  createdAt: Date
  /** Of a workspace nobody has claimed. */
  sandbox?: true
  /** What it still takes while nobody has claimed it. Absent: everything. */
  quota?: { messages: number; bytes: number }
  /** Since when it leads nowhere, its sandbox or household having ended. */
  removedAt?: Date
  /** Since when it leads nowhere by the family's wish; what arrived there stays, and there may be another. */
  retiredAt?: Date
}

/** The filter for addresses no family has retired. */
export const NOT_RETIRED = { retiredAt: { $exists: false } }

/** 80 random bits: nobody can guess it, and a person can still read it out. */
const LOCAL_PART_LENGTH = 16

const schema = new Schema<InboxAddress>(
  {
    _id: String,
    workspaceId: String,
    lovedOneId: String,
    localPart: String,
    createdAt: Date,
    sandbox: Boolean,
    quota: { type: { _id: false, messages: Number, bytes: Number }, default: undefined },
    removedAt: Date,
    retiredAt: Date,
  },
  { versionKey: false, collection: 'inbox_addresses' },
)
schema.index({ localPart: 1 }, { unique: true })
schema.index({ workspaceId: 1, lovedOneId: 1 }, { unique: true, partialFilterExpression: { retiredAt: null } })

export function inboxAddressModel(connection: Connection) {
  return connection.model('InboxAddress', schema)
}

/** What makes a new address. */
export function newAddress(): Pick<InboxAddress, '_id' | 'localPart' | 'createdAt'> {
  return { _id: newId('adr'), localPart: randomText(LOCAL_PART_LENGTH), createdAt: new Date() }
}

export function formatAddress({ localPart }: Pick<InboxAddress, 'localPart'>, mailDomain: string): string {
  return `${localPart}@${mailDomain}`
}
