import { InboxServiceService } from '@family-inbox/proto/inbox/v1/inbox'
import type { GrpcServer } from '@family-inbox/service-kit/rpc/serve'
import type { Service } from '@family-inbox/service-kit/start/run'
import { serveBackend } from '@family-inbox/service-kit/start/serve-backend'
import { createAuthenticityChecks } from './arriving/authenticity-checks.ts'
import { serveLmtp } from './arriving/serve-lmtp.ts'
import { serveSmtp } from './arriving/serve-smtp.ts'
import { background } from './background.ts'
import { type Config, environmentToConfig } from './config.ts'
import { createContext, type Overrides } from './context.ts'
import { fetchMailboxes } from './fetching/fetch-mailboxes.ts'
import { resealPasswords } from './models/mailbox.ts'
import { addMailbox } from './rpc/add-mailbox.ts'
import { addNote } from './rpc/add-note.ts'
import { addPushDevice } from './rpc/add-push-device.ts'
import { allocateInboxAddress } from './rpc/allocate-inbox-address.ts'
import { allocateSandboxAddresses } from './rpc/allocate-sandbox-addresses.ts'
import { allowRecipient } from './rpc/allow-recipient.ts'
import { answerCalendarRequest } from './rpc/answer-calendar-request.ts'
import { approveReplyProposal } from './rpc/approve-reply-proposal.ts'
import { beginMailboxConsent } from './rpc/begin-mailbox-consent.ts'
import { blockSender } from './rpc/block-sender.ts'
import { browseMessages } from './rpc/browse-messages.ts'
import { changeCategory } from './rpc/change-category.ts'
import { changeMailbox } from './rpc/change-mailbox.ts'
import { changeStatus } from './rpc/change-status.ts'
import { countSandboxMessages } from './rpc/count-sandbox-messages.ts'
import { declineReplyProposal } from './rpc/decline-reply-proposal.ts'
import { deleteNote } from './rpc/delete-note.ts'
import { downloadAttachment } from './rpc/download-attachment.ts'
import { exportInbox } from './rpc/export-inbox.ts'
import { finishMailboxConsent } from './rpc/finish-mailbox-consent.ts'
import { getDelivery } from './rpc/get-delivery.ts'
import { getDeliveryTest } from './rpc/get-delivery-test.ts'
import { getForwarding } from './rpc/get-forwarding.ts'
import { getInboxMessage } from './rpc/get-inbox-message.ts'
import { getNoteAccess } from './rpc/get-note-access.ts'
import { getNotifications } from './rpc/get-notifications.ts'
import { getReplyFooters } from './rpc/get-reply-footers.ts'
import { getReplyProposal } from './rpc/get-reply-proposal.ts'
import { getSenderFilter } from './rpc/get-sender-filter.ts'
import { getStorage } from './rpc/get-storage.ts'
import { joinConversations } from './rpc/join-conversations.ts'
import { liftSandboxLimit } from './rpc/lift-sandbox-limit.ts'
import { listCalendarRequests } from './rpc/list-calendar-requests.ts'
import { listInboxAddresses } from './rpc/list-inbox-addresses.ts'
import { listInboxMessages } from './rpc/list-inbox-messages.ts'
import { listMailboxes } from './rpc/list-mailboxes.ts'
import { listMessagesAside } from './rpc/list-messages-aside.ts'
import { listPushDevices } from './rpc/list-push-devices.ts'
import { listReplyProposals } from './rpc/list-reply-proposals.ts'
import { listStoppedRecipients } from './rpc/list-stopped-recipients.ts'
import { listSubjects } from './rpc/list-subjects.ts'
import { markAllRead } from './rpc/mark-all-read.ts'
import { markMessage } from './rpc/mark-message.ts'
import { moveMessage } from './rpc/move-message.ts'
import { openMessage } from './rpc/open-message.ts'
import { openMessageAside } from './rpc/open-message-aside.ts'
import { previewAttachment } from './rpc/preview-attachment.ts'
import { purgeMessage } from './rpc/purge-message.ts'
import { removeMailbox } from './rpc/remove-mailbox.ts'
import { removePushDevice } from './rpc/remove-push-device.ts'
import { removeReminder } from './rpc/remove-reminder.ts'
import { removeSandboxInboxes } from './rpc/remove-sandbox-inboxes.ts'
import { renderMessage } from './rpc/render-message.ts'
import { restoreMessage } from './rpc/restore-message.ts'
import { restoreNote } from './rpc/restore-note.ts'
import { retireInboxAddress } from './rpc/retire-inbox-address.ts'
import { sendTestMail } from './rpc/send-test-mail.ts'
import { setMessageAside } from './rpc/set-message-aside.ts'
import { setNoteAccess } from './rpc/set-note-access.ts'
import { setNotifications } from './rpc/set-notifications.ts'
import { setOnlySenders } from './rpc/set-only-senders.ts'
import { setOutgoingMail } from './rpc/set-outgoing-mail.ts'
import { setReminder } from './rpc/set-reminder.ts'
import { setReplyFooter } from './rpc/set-reply-footer.ts'
import { startDeliveryTest } from './rpc/start-delivery-test.ts'
import { takeOutMessage } from './rpc/take-out-message.ts'
import { tryMailbox } from './rpc/try-mailbox.ts'
import { undoRearrangement } from './rpc/undo-rearrangement.ts'
import { unsubscribe } from './rpc/unsubscribe.ts'
import { watchMessages } from './rpc/watch-messages.ts'
import { watchMailQueue } from './sending/send-queue.ts'
import { watchStoppedMail } from './sending/stopped-mail.ts'
import { writingHandlers } from './writing-handlers.ts'

type InboxServer = GrpcServer & { smtpPort: number }

export const service: Service<Config> = { name: 'inbox', environmentToConfig, start: startInbox }

/** Starts inbox: SMTP, the RPCs, and the background work for mail in and out. */
export async function startInbox(config: Config, overrides?: Overrides): Promise<InboxServer> {
  const ctx = await createContext(config, overrides)
  watchMailQueue(ctx)
  watchStoppedMail(ctx)
  await resealPasswords(ctx)
  await ctx.workspaceKeys.start(async () => (await ctx.inboxAddresses.exists({})) === null)
  const checks = createAuthenticityChecks(ctx)
  const arriving = { ...ctx, checks }
  const [smtp, lmtp] = await Promise.all([serveSmtp(arriving), serveLmtp(arriving)])
  const grpc = await serveBackend({
    definition: InboxServiceService,
    handlers: {
      ...writingHandlers(ctx),
      allocateInboxAddress: allocateInboxAddress(ctx),
      retireInboxAddress: retireInboxAddress(ctx),
      listInboxAddresses: listInboxAddresses(ctx),
      listInboxMessages: listInboxMessages(ctx),
      getInboxMessage: getInboxMessage(ctx),
      listCalendarRequests: listCalendarRequests(ctx),
      answerCalendarRequest: answerCalendarRequest(ctx),
      listReplyProposals: listReplyProposals(ctx),
      getReplyProposal: getReplyProposal(ctx),
      approveReplyProposal: approveReplyProposal(ctx),
      declineReplyProposal: declineReplyProposal(ctx),
      getDelivery: getDelivery(ctx),
      setOutgoingMail: setOutgoingMail(ctx),
      startDeliveryTest: startDeliveryTest(ctx),
      getDeliveryTest: getDeliveryTest(ctx),
      browseMessages: browseMessages(ctx),
      openMessage: openMessage(ctx),
      listSubjects: listSubjects(ctx),
      renderMessage: renderMessage(ctx),
      downloadAttachment: downloadAttachment(ctx),
      previewAttachment: previewAttachment(ctx),
      markMessage: markMessage(ctx),
      markAllRead: markAllRead(ctx),
      changeCategory: changeCategory(ctx),
      watchMessages: watchMessages(ctx),
      getForwarding: getForwarding(ctx),
      sendTestMail: sendTestMail(ctx),
      getReplyFooters: getReplyFooters(ctx),
      setReplyFooter: setReplyFooter(ctx),
      getNotifications: getNotifications(ctx),
      getStorage: getStorage(ctx),
      setNotifications: setNotifications(ctx),
      listPushDevices: listPushDevices(ctx),
      addPushDevice: addPushDevice(ctx),
      removePushDevice: removePushDevice(ctx),
      unsubscribe: unsubscribe(ctx),
      exportInbox: exportInbox(ctx),
      allocateSandboxAddresses: allocateSandboxAddresses(ctx),
      countSandboxMessages: countSandboxMessages(ctx),
      liftSandboxLimit: liftSandboxLimit(ctx),
      removeSandboxInboxes: removeSandboxInboxes(ctx),
      changeStatus: changeStatus(ctx),
      addNote: addNote(ctx),
      deleteNote: deleteNote(ctx),
      restoreNote: restoreNote(ctx),
      getNoteAccess: getNoteAccess(ctx),
      setNoteAccess: setNoteAccess(ctx),
      setReminder: setReminder(ctx),
      removeReminder: removeReminder(ctx),
      moveMessage: moveMessage(ctx),
      joinConversations: joinConversations(ctx),
      takeOutMessage: takeOutMessage(ctx),
      undoRearrangement: undoRearrangement(ctx),
      setMessageAside: setMessageAside(ctx),
      restoreMessage: restoreMessage(ctx),
      purgeMessage: purgeMessage(ctx),
      listMessagesAside: listMessagesAside(ctx),
      openMessageAside: openMessageAside(ctx),
      getSenderFilter: getSenderFilter(ctx),
      blockSender: blockSender(ctx),
      setOnlySenders: setOnlySenders(ctx),
      listMailboxes: listMailboxes(ctx),
      addMailbox: addMailbox(ctx),
      beginMailboxConsent: beginMailboxConsent(ctx),
      finishMailboxConsent: finishMailboxConsent(ctx),
      changeMailbox: changeMailbox(ctx),
      removeMailbox: removeMailbox(ctx),
      tryMailbox: tryMailbox(ctx),
      listStoppedRecipients: listStoppedRecipients(ctx),
      allowRecipient: allowRecipient(ctx),
    },
    context: ctx,
    // Ending the watchers lets their calls end, which gRPC waits for.
    servers: [ctx.liveUpdates, smtp, ...(lmtp ? [lmtp] : [])],
    background: [() => checks, () => fetchMailboxes(arriving), ...background].flatMap((start) => start(ctx) ?? []),
  })
  return { ...grpc, smtpPort: smtp.port }
}
