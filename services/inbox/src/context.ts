import { Resolver } from 'node:dns/promises'
import type { ResolveDns } from '@family-inbox/mail-reader/authenticity/authenticity'
import {
  type AttachmentPreviews,
  createAttachmentPreviews,
} from '@family-inbox/mail-reader/threads/attachment-previews'
import { createReadFileText, type ReadFileText } from '@family-inbox/mail-reader/threads/file-texts'
import { createMailAuthenticator, type MailAuthenticator } from '@family-inbox/mail-reader/threads/mail-authenticator'
import { createMailOpener, type MailOpener } from '@family-inbox/mail-reader/threads/mail-opener'
import { createMessageParser, type MessageParser } from '@family-inbox/mail-reader/threads/parse-in-worker'
import { createReaderPool } from '@family-inbox/mail-reader/threads/reader-pool'
import { AuthServiceService } from '@family-inbox/proto/auth/v1/auth'
import { CareCircleServiceService } from '@family-inbox/proto/carecircle/v1/care_circle'
import { createSecretBox, type SecretBox } from '@family-inbox/service-kit/config/secret-box'
import { createFairBudget, type FairBudget } from '@family-inbox/service-kit/lifecycle/fair-budget'
import { createWake, type Wake } from '@family-inbox/service-kit/lifecycle/sweep'
import { createFindByIds, type FindByIds } from '@family-inbox/service-kit/mongo/find-by-ids'
import { openDatabase } from '@family-inbox/service-kit/mongo/open-database'
import { insertOnce } from '@family-inbox/service-kit/mongo/rows'
import { createLogger, type Logger } from '@family-inbox/service-kit/observability/logger'
import { gauge } from '@family-inbox/service-kit/observability/metrics'
import { createBatcher } from '@family-inbox/service-kit/rpc/batch'
import { dial, type RpcClient } from '@family-inbox/service-kit/rpc/dial'
import { type Identity, serviceIdentity } from '@family-inbox/service-kit/rpc/identity'
import { type CalendarChangeQueue, openCalendarChangeQueue } from '@family-inbox/workspace-kit/calendar-changes'
import { type CareCircleClient, createRequireMember, type RequireMember } from '@family-inbox/workspace-kit/membership'
import { type MailQueue, openMailQueue } from '@family-inbox/workspace-kit/outgoing-mail'
import { createRecordAct, type RecordAct } from '@family-inbox/workspace-kit/people-acts'
import { type SealedCollection, sealRow } from '@family-inbox/workspace-kit/sealed-rows'
import type { Connection } from 'mongoose'
import type { Config } from './config.ts'
import { createFindRole, type FindRole } from './find-role.ts'
import { type LiveUpdates, openLiveUpdates } from './live-updates.ts'
import { migrations } from './migrations/index.ts'
import { createFindConversation, type FindConversation } from './models/conversation-members.ts'
import type { ConversationStatus } from './models/conversation-status.ts'
import { inboxModels } from './models/index.ts'
import type { Message } from './models/message.ts'
import type { MessageAside } from './models/message-aside.ts'
import { READ_FIELDS, type ReadRow } from './models/message-summary.ts'
import { MOVED_FIELDS, type MovedMessage } from './models/moved-message.ts'
import type { NoteAccess } from './models/note-access.ts'
import type { SenderFilter } from './models/sender-filter.ts'

export type Context = AsyncDisposable &
  ReturnType<typeof inboxModels> & {
    config: Config
    logger: Logger
    identity: Identity
    auth: RpcClient<typeof AuthServiceService>
    careCircle: CareCircleClient
    requireMember: RequireMember
    findRole: FindRole
    recordAct: RecordAct
    connection: Connection
    /** A row of a collection, or fields of it, as they are stored. */
    seal: <Row extends object>(of: SealedCollection, workspaceId: string, row: Row) => Promise<Row>
    findMessages: FindByIds<ReadRow>
    findConversationStatuses: FindByIds<ConversationStatus>
    findNoteAccess: FindByIds<NoteAccess>
    findMovedMessages: FindByIds<Pick<MovedMessage, '_id' | keyof typeof MOVED_FIELDS>>
    findMessagesAside: FindByIds<Pick<MessageAside, '_id'>>
    findSenderFilters: FindByIds<SenderFilter>
    findConversation: FindConversation
    /** Returns whether the message is new. Concurrent inserts are written in batches. */
    insertMessage: (row: Message) => Promise<boolean>
    /** Seals the passwords of mailboxes. */
    mailboxSecrets: SecretBox
    parser: MessageParser
    storing: FairBudget
    authenticator: MailAuthenticator
    mailOpener: MailOpener
    previews: AttachmentPreviews
    readFileText: ReadFileText
    /** Bytes of mail in memory for viewing, download and export, by workspace. */
    mailMemory: FairBudget
    liveUpdates: LiveUpdates
    mailQueue: MailQueue
    calendarChanges: CalendarChangeQueue
    wake: Readonly<Record<(typeof WAKES)[number], Wake>>
  }

/** What starts a round of background work at once. */
const WAKES = [
  'aside',
  'calendar',
  'checks',
  'files',
  'index',
  'joins',
  'leaving',
  'lostMail',
  'mailboxes',
  'notices',
  'notifications',
  'purge',
  'replies',
] as const

/** A durable write costs about the same for one message as for 32. */
const MAX_BATCH = 32
/** A single sender may use half of it. */
const MAX_STORING = 512
/** About a dozen of the largest attachments. */
const MAX_MAIL_MEMORY = 256 * 1024 * 1024

export type Overrides = { resolveDns?: ResolveDns }

/** Their ids begin with the workspace’s. */
const BY_WORKSPACE = { prefixField: 'workspaceId' }

export async function createContext(config: Config, overrides: Overrides = {}): Promise<Context> {
  const logger = createLogger('inbox', config.logLevel)
  const identity = await serviceIdentity(config, logger)
  const auth = dial(AuthServiceService, config.authAddress, identity)
  const careCircle = dial(CareCircleServiceService, config.careCircleAddress, identity)
  const database = await openDatabase({
    uri: config.mongodbUri,
    models: (connection) => inboxModels(connection, config),
    migrations,
    logger,
  })
  const seal: Context['seal'] = async (of, workspaceId, row) =>
    sealRow(of, row, await database.workspaceKeys.sealerOf(workspaceId))
  const insertMessage = createBatcher((rows: Message[]) => insertOnce(database.messages.collection, rows), {
    maxItems: MAX_BATCH,
  })
  const readers = createReaderPool()
  const parser = createMessageParser(readers)
  const resolver = new Resolver({ timeout: 1000, tries: 2 })
  const resolveDns = overrides.resolveDns ?? ((name, type) => resolver.resolve(name, type))
  const findRole = createFindRole(careCircle)
  const storing = createFairBudget(MAX_STORING)
  const mailMemory = createFairBudget(MAX_MAIL_MEMORY)
  gauge('mail_memory_bytes', 'Bytes of mail in memory for viewing, download and export.', async () => mailMemory.held)
  const wake = Object.fromEntries(WAKES.map((name) => [name, createWake()])) as Context['wake']
  const mailOpener = createMailOpener(readers)
  const previews = createAttachmentPreviews(readers)
  const mailQueue = openMailQueue(config, identity, logger)
  const calendarChanges = openCalendarChangeQueue(config, logger)
  const liveUpdates = openLiveUpdates(mailQueue.connection, logger)
  const authenticator = createMailAuthenticator(readers, resolveDns)
  return {
    config,
    logger,
    identity,
    auth,
    careCircle,
    requireMember: createRequireMember(careCircle),
    findRole,
    recordAct: createRecordAct(auth, logger),
    ...database,
    seal,
    findMessages: createFindByIds(database.messages.collection, READ_FIELDS, {
      ...BY_WORKSPACE,
      open: database.workspaceKeys.open,
    }),
    findConversationStatuses: createFindByIds(database.conversationStatuses.collection),
    findNoteAccess: createFindByIds(database.noteAccess.collection),
    findMovedMessages: createFindByIds(database.movedMessages.collection, MOVED_FIELDS),
    findMessagesAside: createFindByIds(database.messagesAside.collection, { _id: 1 }, BY_WORKSPACE),
    findSenderFilters: createFindByIds(database.senderFilters.collection),
    findConversation: createFindConversation(database.indexEntries),
    insertMessage: async (row) => insertMessage(await seal(database.messages, row.workspaceId, row)),
    mailboxSecrets: createSecretBox(config.mailboxSecretKeys),
    parser,
    storing,
    authenticator,
    mailOpener,
    previews,
    readFileText: createReadFileText(readers),
    mailMemory,
    liveUpdates,
    mailQueue,
    calendarChanges,
    wake,
    async [Symbol.asyncDispose]() {
      auth.close()
      careCircle.close()
      await Promise.all([readers, mailQueue, calendarChanges].map((part) => part[Symbol.asyncDispose]()))
      await database.connection.close()
    },
  }
}
