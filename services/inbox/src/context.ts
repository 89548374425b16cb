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
import { createFairBudget, type FairBudget } from '@family-inbox/service-kit/lifecycle/fair-budget'
import { createWake, type Wake } from '@family-inbox/service-kit/lifecycle/sweep'
import { createFindByIds, type FindByIds } from '@family-inbox/service-kit/mongo/find-by-ids'
import { openDatabase } from '@family-inbox/service-kit/mongo/open-database'
import { mailLimitModel } from '@family-inbox/service-kit/mongo/rate-limit'
import { insertOnce } from '@family-inbox/service-kit/mongo/rows'
import { createLogger, type Logger } from '@family-inbox/service-kit/observability/logger'
import { gauge } from '@family-inbox/service-kit/observability/metrics'
import { createBatcher } from '@family-inbox/service-kit/rpc/batch'
import { dial, type RpcClient } from '@family-inbox/service-kit/rpc/dial'
import { createIdentity, type Identity } from '@family-inbox/service-kit/rpc/identity'
import { type CalendarChangeQueue, openCalendarChangeQueue } from '@family-inbox/workspace-kit/calendar-changes'
import { type CareCircleClient, createRequireMember, type RequireMember } from '@family-inbox/workspace-kit/membership'
import { type MailQueue, openMailQueue } from '@family-inbox/workspace-kit/outgoing-mail'
import type { Connection } from 'mongoose'
import type { Config } from './config.ts'
import { createFindRole, type FindRole } from './find-role.ts'
import { type LiveUpdates, openLiveUpdates } from './live-updates.ts'
import { migrations } from './migrations/index.ts'
import { attachmentTextModel } from './models/attachment-text.ts'
import { conversationLockModel } from './models/conversation-lock.ts'
import { createFindConversation, type FindConversation } from './models/conversation-members.ts'
import { type ConversationStatus, conversationStatusModel } from './models/conversation-status.ts'
import { deliveryModel } from './models/delivery.ts'
import { draftModel } from './models/draft.ts'
import { inboxAddressModel } from './models/inbox-address.ts'
import { indexEntryModel } from './models/index-entry.ts'
import { type Message, messageModel } from './models/message.ts'
import { READ_FIELDS, type ReadRow } from './models/message-summary.ts'
import { noteModel } from './models/note.ts'
import { type NoteAccess, noteAccessModel } from './models/note-access.ts'
import { noticeListModel } from './models/notice-list.ts'
import { notificationSettingModel } from './models/notification-setting.ts'
import { originalModel } from './models/original.ts'
import { openPush } from './models/push-device.ts'
import { readMarkModel } from './models/read-mark.ts'
import { readWatermarkModel } from './models/read-watermark.ts'
import { reminderModel } from './models/reminder.ts'
import { removedWorkspaceModel } from './models/removed-workspace.ts'
import { replyModel } from './models/reply.ts'
import { replyFileModel, replyFilePieceModel } from './models/reply-file.ts'
import { replyFooterModel } from './models/reply-footer.ts'
import { replyProposalModel } from './models/reply-proposal.ts'
import { stoppedRecipientModel } from './models/stopped-recipient.ts'
import { stoppedWorkspaceModel } from './models/stopped-workspace.ts'
import { storageUseModel } from './models/storage-use.ts'
import { testMailModel } from './models/test-mail.ts'

export type Context = AsyncDisposable & {
  config: Config
  logger: Logger
  identity: Identity
  auth: RpcClient<typeof AuthServiceService>
  careCircle: CareCircleClient
  requireMember: RequireMember
  findRole: FindRole
  connection: Connection
  inboxAddresses: ReturnType<typeof inboxAddressModel>
  messages: ReturnType<typeof messageModel>
  originals: ReturnType<typeof originalModel>
  replies: ReturnType<typeof replyModel>
  replyFiles: ReturnType<typeof replyFileModel>
  replyFilePieces: ReturnType<typeof replyFilePieceModel>
  replyFooters: ReturnType<typeof replyFooterModel>
  replyProposals: ReturnType<typeof replyProposalModel>
  drafts: ReturnType<typeof draftModel>
  deliveries: ReturnType<typeof deliveryModel>
  mailLimits: ReturnType<typeof mailLimitModel>
  stoppedRecipients: ReturnType<typeof stoppedRecipientModel>
  stoppedWorkspaces: ReturnType<typeof stoppedWorkspaceModel>
  readMarks: ReturnType<typeof readMarkModel>
  readWatermarks: ReturnType<typeof readWatermarkModel>
  indexEntries: ReturnType<typeof indexEntryModel>
  attachmentTexts: ReturnType<typeof attachmentTextModel>
  conversationLocks: ReturnType<typeof conversationLockModel>
  conversationStatuses: ReturnType<typeof conversationStatusModel>
  notes: ReturnType<typeof noteModel>
  noteAccess: ReturnType<typeof noteAccessModel>
  reminders: ReturnType<typeof reminderModel>
  noticeLists: ReturnType<typeof noticeListModel>
  testMails: ReturnType<typeof testMailModel>
  notificationSettings: ReturnType<typeof notificationSettingModel>
  push: ReturnType<typeof openPush>
  removedWorkspaces: ReturnType<typeof removedWorkspaceModel>
  storageUses: ReturnType<typeof storageUseModel>
  findMessages: FindByIds<ReadRow>
  findConversationStatuses: FindByIds<ConversationStatus>
  findNoteAccess: FindByIds<NoteAccess>
  findConversation: FindConversation
  /** Returns whether the message is new. Concurrent inserts are written in batches. */
  insertMessage: (row: Message) => Promise<boolean>
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
  wake: Readonly<
    Record<'calendar' | 'files' | 'index' | 'joins' | 'lostMail' | 'notices' | 'notifications' | 'replies', Wake>
  >
}

/** What starts a round of background work at once. */
const WAKES = ['calendar', 'files', 'index', 'joins', 'lostMail', 'notices', 'notifications', 'replies'] as const

/** A durable write costs about the same for one message as for 32. */
const MAX_BATCH = 32
/** A single sender may use half of it. */
const MAX_STORING = 512
/** About a dozen of the largest attachments. */
const MAX_MAIL_MEMORY = 256 * 1024 * 1024

export type Overrides = { resolveDns?: ResolveDns }

export async function createContext(config: Config, overrides: Overrides = {}): Promise<Context> {
  const logger = createLogger('inbox', config.logLevel)
  const identity = await createIdentity(config.serviceKey, config.serviceKeys, config.grpcTlsDir)
  const auth = dial(AuthServiceService, config.authAddress, identity)
  const careCircle = dial(CareCircleServiceService, config.careCircleAddress, identity)
  const database = await openDatabase({
    uri: config.mongodbUri,
    models: (connection) => ({
      inboxAddresses: inboxAddressModel(connection),
      messages: messageModel(connection),
      originals: originalModel(connection),
      replies: replyModel(connection),
      replyFiles: replyFileModel(connection),
      replyFilePieces: replyFilePieceModel(connection),
      replyFooters: replyFooterModel(connection),
      replyProposals: replyProposalModel(connection),
      drafts: draftModel(connection),
      deliveries: deliveryModel(connection, config.sentMailKeptDays),
      mailLimits: mailLimitModel(connection),
      stoppedRecipients: stoppedRecipientModel(connection),
      stoppedWorkspaces: stoppedWorkspaceModel(connection),
      readMarks: readMarkModel(connection),
      readWatermarks: readWatermarkModel(connection),
      indexEntries: indexEntryModel(connection),
      attachmentTexts: attachmentTextModel(connection),
      conversationLocks: conversationLockModel(connection),
      conversationStatuses: conversationStatusModel(connection),
      notes: noteModel(connection),
      noteAccess: noteAccessModel(connection),
      reminders: reminderModel(connection),
      noticeLists: noticeListModel(connection),
      testMails: testMailModel(connection),
      notificationSettings: notificationSettingModel(connection),
      push: openPush(connection, config.pushKey),
      removedWorkspaces: removedWorkspaceModel(connection),
      storageUses: storageUseModel(connection),
    }),
    migrations,
    logger,
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
    ...database,
    findMessages: createFindByIds(database.messages.collection, READ_FIELDS),
    findConversationStatuses: createFindByIds(database.conversationStatuses.collection),
    findNoteAccess: createFindByIds(database.noteAccess.collection),
    findConversation: createFindConversation(database.indexEntries),
    insertMessage: createBatcher((rows) => insertOnce(database.messages.collection, rows), { maxItems: MAX_BATCH }),
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
