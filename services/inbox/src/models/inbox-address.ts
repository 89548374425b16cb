import { domainToASCII } from 'node:url'
import { newId, randomText } from '@family-inbox/service-kit/ids/ids'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import { type Connection, Schema } from 'mongoose'

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
)
schema.index({ localPart: 1 }, { unique: true })
schema.index({ workspaceId: 1, lovedOneId: 1 }, { unique: true, partialFilterExpression: { retiredAt: null } })

export function inboxAddressModel(connection: Connection) {
  return connection.model('InboxAddress', schema)
}

export function newAddress(): Pick<InboxAddress, '_id' | 'localPart' | 'createdAt'> {
  return { _id: newId('adr'), localPart: randomText(LOCAL_PART_LENGTH), createdAt: new Date() }
}

export function formatAddress({ localPart }: Pick<InboxAddress, 'localPart'>, mailDomain: string): string {
  return `${localPart}@${mailDomain}`
}

/** Without the `+suffix` of forwarders. Undefined for another domain. */
export function localPartOf(recipient: string, mailDomain: string): string | undefined {
  return wholeLocalPart(recipient, mailDomain)?.split('+', 1)[0]
}

/** Lower case, unquoted (RFC 5321 4.1.2). Undefined for another domain. */
export function wholeLocalPart(recipient: string, mailDomain: string): string | undefined {
  const at = recipient.lastIndexOf('@')
  const domain = normalDomain(recipient.slice(at + 1))
  if (at < 1 || domain === '' || domain !== normalDomain(mailDomain)) return undefined
  const local = recipient.slice(0, at).replace(/^"(.*)"$/, '$1')
  return local.toLowerCase()
}

/** RFC 5890, without the dot of the root. */
function normalDomain(domain: string): string {
  return domainToASCII(domain.replace(/\.$/, ''))
}

export type OwnAddresses = { mailDomain: string; senderAddress: string }

/** Whether mail to this address would come back here: every address at our mail domain, and the sender of our mail. */
export function isOwnAddress({ mailDomain, senderAddress }: OwnAddresses, address: string): boolean {
  if (localPartOf(address, mailDomain) !== undefined) return true
  const senderDomain = senderAddress.slice(senderAddress.lastIndexOf('@') + 1)
  const local = localPartOf(address, senderDomain)
  return local !== undefined && local === localPartOf(senderAddress, senderDomain)
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
