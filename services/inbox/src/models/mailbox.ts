import type { SecretBox } from '@family-inbox/service-kit/config/secret-box'
import { describeError, type Logger } from '@family-inbox/service-kit/observability/logger'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import { type Connection, Schema } from 'mongoose'
import type { OauthProviderId } from '../oauth-providers.ts'

export type MailboxServer = {
  /** A host name in ASCII and lower case, or an IP address. */
  host: string
  port: number
  encryption: 'tls' | 'starttls' | 'none'
  userName: string
  folder: string
  /** RFC 8601. Without it, the server's Authentication-Results do not count. */
  authservId?: string
}

export type Problem =
  | 'password'
  | 'unreachable'
  | 'certificate'
  | 'folder'
  | 'moveFolder'
  | 'privateHost'
  | 'storageFull'
  | 'tooMuchMail'
  | 'inboxGone'
  | 'server'
  | 'consent'

/** Where fetching is in the folder. UIDs mean something only under the same UIDVALIDITY (RFC 9051 2.3.1.1). */
export type Position = {
  uidValidity: string
  /** Every message up to this UID is handled. */
  lastUid: number
  /** Messages below this UID were there before the mailbox was added, and the family wants them. */
  earlierBelow?: number
  /** Messages below this UID were there when UIDVALIDITY changed, and most of them are handled. */
  knownBelow?: number
}

/** A mailbox elsewhere whose mail is fetched into a loved one's inbox. */
export type FetchedMailbox = {
  _id: string
  workspaceId: string
  lovedOneId: string
  /** The row of the address that mail goes to; a retired one still works, so that no mail is stored twice. */
  addressId: string
  server: MailboxServer
  /** The password, or the refresh token of `oauthProvider`, sealed with the row's id. Absent before the owner signed in there. */
  sealed?: string
  oauthProvider?: OauthProviderId
  action: 'leave' | 'markRead' | 'move'
  moveTo?: string
  /** As in a sender filter; empty: everybody. */
  senders: string[]
  withEarlier: boolean
  addedAt: Date
  position?: Position
  /** When it was last up to date. */
  checkedAt?: Date
  fetched: number
  tooLarge: number
  /** When a replica may take it: the end of the holder's lease, or of the wait after a failure. Absent while it is paused. */
  dueAt?: Date
  /** Whoever fetches it now: a new one for each connection. Writes of an earlier one do not match. */
  holder?: string
  problem?: Problem
  /** In a row. */
  failures: number
  paused?: 'byMember' | 'givenUp' | 'notConnected'
  /** How often it was given up; absent for never. */
  givenUp?: number
}

const { Mixed } = Schema.Types

const schema = rowSchema<FetchedMailbox>(
  'mailboxes',
  {
    _id: String,
    workspaceId: String,
    lovedOneId: String,
    addressId: String,
    server: Mixed,
    sealed: String,
    oauthProvider: String,
    action: String,
    moveTo: String,
    senders: [String],
    withEarlier: Boolean,
    addedAt: Date,
    position: Mixed,
    checkedAt: Date,
    fetched: Number,
    tooLarge: Number,
    dueAt: Date,
    holder: String,
    problem: String,
    failures: Number,
    paused: String,
    givenUp: Number,
  },
  { workspaceId: 'field' },
  { shardKey: { workspaceId: 1 } },
)
schema.index({ dueAt: 1 }, { sparse: true })
schema.index(
  { workspaceId: 1, lovedOneId: 1, 'server.host': 1, 'server.userName': 1, 'server.folder': 1 },
  { unique: true },
)

export function mailboxModel(connection: Connection) {
  return connection.model('Mailbox', schema)
}

/** What the family’s download says. */
export const EXPORTED_MAILBOX = {
  _id: 0,
  lovedOneId: 1,
  server: 1,
  oauthProvider: 1,
  action: 1,
  moveTo: 1,
  senders: 1,
  addedAt: 1,
} as const

type Sealed = { mailboxes: ReturnType<typeof mailboxModel>; mailboxSecrets: SecretBox; logger: Logger }

/** So that older keys can be removed from the settings. A password that changes meanwhile is sealed with the first key already. */
export async function resealPasswords({ mailboxes, mailboxSecrets, logger }: Sealed): Promise<void> {
  let changed = 0
  for await (const { _id, sealed = '' } of mailboxes
    .find({ sealed: { $exists: true } }, { sealed: 1 })
    .lean()
    .cursor()) {
    if (mailboxSecrets.isCurrent(sealed)) continue
    try {
      const again = mailboxSecrets.seal(mailboxSecrets.open(sealed, _id), _id)
      changed += (await mailboxes.updateOne({ _id, sealed }, { $set: { sealed: again } })).modifiedCount
    } catch (error) {
      logger.warn({ mailbox: _id, ...describeError(error) }, 'the password of a mailbox is lost; the family sees that')
    }
  }
  if (changed > 0) logger.info({ mailboxes: changed }, 're-encrypted passwords with the first key')
}
