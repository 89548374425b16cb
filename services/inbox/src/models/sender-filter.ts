import { foldEmail } from '@family-inbox/service-kit/rpc/text-rules'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import { type Connection, Schema } from 'mongoose'

/** Whose mail a workspace does not want to see. Without a row, all mail reaches its inbox. */
export type SenderFilter = {
  /** That of the workspace. */
  _id: string
  /** Each an address in lower case, or a domain with its subdomains, as `@example.org`. Blocked last first. */
  blocked: { sender: string; byName: string; at: Date }[]
  /** By loved one: if on, only mail from these reaches their inbox. */
  only: { lovedOneId: string; on: boolean; senders: string[] }[]
}

const schema = rowSchema<SenderFilter>(
  'sender_filters',
  { _id: String, blocked: Schema.Types.Mixed, only: Schema.Types.Mixed },
  { workspaceId: '_id' },
  { shardKey: { _id: 1 } },
)

export function senderFilterModel(connection: Connection) {
  return connection.model('SenderFilter', schema)
}

/** Whether the filter keeps mail of this address out of a loved one's inbox. */
export function isKeptOut({ blocked, only }: SenderFilter, lovedOneId: string, from: string): boolean {
  const address = foldEmail(from)
  if (blocked.some(({ sender }) => namesSender(sender, address))) return true
  const own = only.find((one) => one.lovedOneId === lovedOneId)
  return own?.on === true && !own.senders.some((sender) => namesSender(sender, address))
}

/**
 * Whether an entry of a list, an address or `@example.org`, names this address or one below its domain.
 * @param address as foldEmail returns it
 */
export function namesSender(sender: string, address: string): boolean {
  if (!sender.startsWith('@')) return sender === address
  return address.endsWith(sender) || address.endsWith(`.${sender.slice(1)}`)
}
