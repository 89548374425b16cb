import { mailLimitModel } from '@family-inbox/service-kit/mongo/rate-limit'
import { openWorkspaceKeys } from '@family-inbox/workspace-kit/workspace-keys'
import type { Connection } from 'mongoose'
import type { Config } from '../config.ts'
import { answerAddressModel } from './answer-address.ts'
import { attachmentTextModel } from './attachment-text.ts'
import { conversationLockModel } from './conversation-lock.ts'
import { conversationStatusModel } from './conversation-status.ts'
import { correspondentModel } from './correspondent.ts'
import { deletedNoteModel } from './deleted-note.ts'
import { deliveryModel } from './delivery.ts'
import { deliveryTestModel } from './delivery-test.ts'
import { draftModel } from './draft.ts'
import { inboxAddressModel } from './inbox-address.ts'
import { indexEntryModel } from './index-entry.ts'
import { mailboxModel } from './mailbox.ts'
import { messageModel } from './message.ts'
import { messageAsideModel } from './message-aside.ts'
import { movedMessageModel } from './moved-message.ts'
import { noteModel } from './note.ts'
import { noteAccessModel } from './note-access.ts'
import { noticeListModel } from './notice-list.ts'
import { notificationSettingModel } from './notification-setting.ts'
import { originalModel } from './original.ts'
import { openPush } from './push-device.ts'
import { readMarkModel } from './read-mark.ts'
import { readWatermarkModel } from './read-watermark.ts'
import { reminderModel } from './reminder.ts'
import { removedWorkspaceModel } from './removed-workspace.ts'
import { replyModel } from './reply.ts'
import { replyFileModel, replyFilePieceModel } from './reply-file.ts'
import { replyFooterModel } from './reply-footer.ts'
import { replyProposalModel } from './reply-proposal.ts'
import { senderFilterModel } from './sender-filter.ts'
import { stoppedRecipientModel } from './stopped-recipient.ts'
import { stoppedWorkspaceModel } from './stopped-workspace.ts'
import { storageUseModel } from './storage-use.ts'
import { testMailModel } from './test-mail.ts'

/** The service's collections. */
export function inboxModels(
  connection: Connection,
  config: Pick<Config, 'pushKey' | 'sentMailKeptDays' | 'keyEncryptionKeys'>,
) {
  const workspaceKeys = openWorkspaceKeys(connection, config.keyEncryptionKeys)
  return {
    workspaceKeys,
    inboxAddresses: inboxAddressModel(connection),
    messages: messageModel(connection, workspaceKeys),
    messagesAside: messageAsideModel(connection, workspaceKeys),
    movedMessages: movedMessageModel(connection),
    mailboxes: mailboxModel(connection),
    senderFilters: senderFilterModel(connection),
    originals: originalModel(connection),
    correspondents: correspondentModel(connection),
    replies: replyModel(connection, workspaceKeys),
    replyFiles: replyFileModel(connection, workspaceKeys),
    replyFilePieces: replyFilePieceModel(connection),
    replyFooters: replyFooterModel(connection),
    replyProposals: replyProposalModel(connection, workspaceKeys),
    drafts: draftModel(connection, workspaceKeys),
    deliveries: deliveryModel(connection, config.sentMailKeptDays),
    deliveryTests: deliveryTestModel(connection),
    mailLimits: mailLimitModel(connection),
    stoppedRecipients: stoppedRecipientModel(connection),
    stoppedWorkspaces: stoppedWorkspaceModel(connection),
    readMarks: readMarkModel(connection),
    readWatermarks: readWatermarkModel(connection),
    indexEntries: indexEntryModel(connection, workspaceKeys),
    attachmentTexts: attachmentTextModel(connection, workspaceKeys),
    conversationLocks: conversationLockModel(connection),
    conversationStatuses: conversationStatusModel(connection),
    notes: noteModel(connection, workspaceKeys),
    deletedNotes: deletedNoteModel(connection, workspaceKeys),
    noteAccess: noteAccessModel(connection),
    reminders: reminderModel(connection),
    noticeLists: noticeListModel(connection),
    testMails: testMailModel(connection),
    answerAddresses: answerAddressModel(connection),
    notificationSettings: notificationSettingModel(connection),
    push: openPush(connection, config.pushKey),
    removedWorkspaces: removedWorkspaceModel(connection),
    storageUses: storageUseModel(connection),
  }
}
