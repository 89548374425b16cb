import { CareCircleServiceService } from '@family-inbox/proto/carecircle/v1/care_circle'
import { detectStreamLoss } from '@family-inbox/service-kit/nats/detect-stream-loss'
import type { GrpcServer } from '@family-inbox/service-kit/rpc/serve'
import type { Service } from '@family-inbox/service-kit/start/run'
import { serveBackend } from '@family-inbox/service-kit/start/serve-backend'
import { sweepProposals } from '@family-inbox/workspace-kit/decide-proposals'
import { consumeRemovals, REMOVAL_STREAM } from '@family-inbox/workspace-kit/removals'
import { consumeCalendarChanges } from './appointments/consume-changes.ts'
import { startNewFeedSweeper } from './appointments/mail-new-feeds.ts'
import { startNoticeSweeper } from './appointments/send-notices.ts'
import { startReminderSweeper } from './appointments/send-reminders.ts'
import { type Config, environmentToConfig } from './config.ts'
import { createContext } from './context.ts'
import { startLinkNewsSweeper } from './emergency-links/mail-owners.ts'
import { installationHandlers } from './installation-handlers.ts'
import { startInvitationSweeper } from './invitations/mail-invitation.ts'
import { announceProposals } from './proposals/announce-proposals.ts'
import { invitationProposals } from './proposals/invitation-proposals.ts'
import { acceptInvitation } from './rpc/accept-invitation.ts'
import { addAppointment } from './rpc/add-appointment.ts'
import { addLovedOne } from './rpc/add-loved-one.ts'
import { addToDo } from './rpc/add-to-do.ts'
import { approveInvitationProposal } from './rpc/approve-invitation-proposal.ts'
import { askForPasskeys } from './rpc/ask-for-passkeys.ts'
import { cancelAppointment } from './rpc/cancel-appointment.ts'
import { cancelInvitation } from './rpc/cancel-invitation.ts'
import { cancelProviderCode } from './rpc/cancel-provider-code.ts'
import { changeAppointment } from './rpc/change-appointment.ts'
import { changeRole } from './rpc/change-role.ts'
import { changeToDo } from './rpc/change-to-do.ts'
import { changeToDoStatus } from './rpc/change-to-do-status.ts'
import { checkEmergencySheet } from './rpc/check-emergency-sheet.ts'
import { checkMemberships } from './rpc/check-memberships.ts'
import { claimSandboxWorkspace } from './rpc/claim-sandbox-workspace.ts'
import { createCalendarFeed } from './rpc/create-calendar-feed.ts'
import { createEmergencyLink } from './rpc/create-emergency-link.ts'
import { createProviderCode } from './rpc/create-provider-code.ts'
import { createSandboxWorkspaces } from './rpc/create-sandbox-workspaces.ts'
import { createWorkspace } from './rpc/create-workspace.ts'
import { declineInvitationProposal } from './rpc/decline-invitation-proposal.ts'
import { deleteWorkspace } from './rpc/delete-workspace.ts'
import { describeWorkspace } from './rpc/describe-workspace.ts'
import { exportWorkspace } from './rpc/export-workspace.ts'
import { getAppointment } from './rpc/get-appointment.ts'
import { getAppointmentMail } from './rpc/get-appointment-mail.ts'
import { getAssistantSettings } from './rpc/get-assistant-settings.ts'
import { getEmergencySheet } from './rpc/get-emergency-sheet.ts'
import { getInvitation } from './rpc/get-invitation.ts'
import { getInvitedAddress } from './rpc/get-invited-address.ts'
import { getProfile } from './rpc/get-profile.ts'
import { getToDo } from './rpc/get-to-do.ts'
import { guardAssistant } from './rpc/guard-assistant.ts'
import { inviteMember } from './rpc/invite-member.ts'
import { leaveWorkspaces } from './rpc/leave-workspaces.ts'
import { listAppointments } from './rpc/list-appointments.ts'
import { listCalendarFeeds } from './rpc/list-calendar-feeds.ts'
import { listCareEvents } from './rpc/list-care-events.ts'
import { listInvitationProposals } from './rpc/list-invitation-proposals.ts'
import { listLovedOnes } from './rpc/list-loved-ones.ts'
import { listMailRecipients } from './rpc/list-mail-recipients.ts'
import { listMembers } from './rpc/list-members.ts'
import { listMessageAppointments } from './rpc/list-message-appointments.ts'
import { listProviderCodes } from './rpc/list-provider-codes.ts'
import { listToDos } from './rpc/list-to-dos.ts'
import { listUnclaimedWorkspaces } from './rpc/list-unclaimed-workspaces.ts'
import { listUrgentEvents } from './rpc/list-urgent-events.ts'
import { listWorkspaces } from './rpc/list-workspaces.ts'
import { openEmergencyLink } from './rpc/open-emergency-link.ts'
import { purgeCareEvents } from './rpc/purge-care-events.ts'
import { readCalendarFeed } from './rpc/read-calendar-feed.ts'
import { redeemProviderCode } from './rpc/redeem-provider-code.ts'
import { removeMember } from './rpc/remove-member.ts'
import { removeSandboxWorkspaces } from './rpc/remove-sandbox-workspaces.ts'
import { removeSenderAppointments } from './rpc/remove-sender-appointments.ts'
import { removeToDo } from './rpc/remove-to-do.ts'
import { renameLovedOne } from './rpc/rename-loved-one.ts'
import { renameMember } from './rpc/rename-member.ts'
import { resendInvitation } from './rpc/resend-invitation.ts'
import { restoreToDo } from './rpc/restore-to-do.ts'
import { revokeCalendarFeed } from './rpc/revoke-calendar-feed.ts'
import { revokeEmergencyLink } from './rpc/revoke-emergency-link.ts'
import { setAppointmentMail } from './rpc/set-appointment-mail.ts'
import { setAssistantSettings } from './rpc/set-assistant-settings.ts'
import { setEmergencySheet } from './rpc/set-emergency-sheet.ts'
import { setGoing } from './rpc/set-going.ts'
import { setUrgentEventTaken } from './rpc/set-urgent-event-taken.ts'
import { transferOwnership } from './rpc/transfer-ownership.ts'
import { updateGuard } from './rpc/update-guard.ts'
import { consumeEvents } from './timeline/consume-events.ts'
import { watchEventQueue } from './timeline/event-metrics.ts'
import { startPurgeSweeper } from './timeline/purge-link.ts'
import { startUrgentMailSweeper } from './timeline/send-urgent-mail.ts'
import { removeWorkspace, startRemovalSweeper } from './workspace/remove-workspace.ts'

export const service: Service<Config> = { name: 'care-circle', environmentToConfig, start: startCareCircle }

/** Starts care-circle: workspaces, members, loved ones and the care timeline. */
export async function startCareCircle(config: Config): Promise<GrpcServer> {
  const ctx = await createContext(config)
  watchEventQueue(ctx)
  return serveBackend({
    definition: CareCircleServiceService,
    handlers: {
      ...installationHandlers(ctx),
      checkMemberships: checkMemberships(ctx),
      describeWorkspace: describeWorkspace(ctx),
      createWorkspace: createWorkspace(ctx),
      listWorkspaces: listWorkspaces(ctx),
      getProfile: getProfile(ctx),
      addLovedOne: addLovedOne(ctx),
      askForPasskeys: askForPasskeys(ctx),
      renameLovedOne: renameLovedOne(ctx),
      listLovedOnes: listLovedOnes(ctx),
      listMembers: listMembers(ctx),
      changeRole: changeRole(ctx),
      removeMember: removeMember(ctx),
      renameMember: renameMember(ctx),
      deleteWorkspace: deleteWorkspace(ctx),
      leaveWorkspaces: leaveWorkspaces(ctx),
      listMailRecipients: listMailRecipients(ctx),
      exportWorkspace: exportWorkspace(ctx),
      transferOwnership: transferOwnership(ctx),
      inviteMember: inviteMember(ctx),
      listInvitationProposals: listInvitationProposals(ctx),
      approveInvitationProposal: approveInvitationProposal(ctx),
      declineInvitationProposal: declineInvitationProposal(ctx),
      getAssistantSettings: getAssistantSettings(ctx),
      setAssistantSettings: setAssistantSettings(ctx),
      guardAssistant: guardAssistant(ctx),
      updateGuard: updateGuard(ctx),
      getInvitation: getInvitation(ctx),
      getInvitedAddress: getInvitedAddress(ctx),
      resendInvitation: resendInvitation(ctx),
      cancelInvitation: cancelInvitation(ctx),
      acceptInvitation: acceptInvitation(ctx),
      createProviderCode: createProviderCode(ctx),
      listProviderCodes: listProviderCodes(ctx),
      cancelProviderCode: cancelProviderCode(ctx),
      redeemProviderCode: redeemProviderCode(ctx),
      listCareEvents: listCareEvents(ctx),
      listUrgentEvents: listUrgentEvents(ctx),
      purgeCareEvents: purgeCareEvents(ctx),
      listAppointments: listAppointments(ctx),
      getAppointment: getAppointment(ctx),
      listMessageAppointments: listMessageAppointments(ctx),
      addAppointment: addAppointment(ctx),
      changeAppointment: changeAppointment(ctx),
      cancelAppointment: cancelAppointment(ctx),
      removeSenderAppointments: removeSenderAppointments(ctx),
      setGoing: setGoing(ctx),
      getAppointmentMail: getAppointmentMail(ctx),
      setAppointmentMail: setAppointmentMail(ctx),
      setUrgentEventTaken: setUrgentEventTaken(ctx),
      createCalendarFeed: createCalendarFeed(ctx),
      listCalendarFeeds: listCalendarFeeds(ctx),
      revokeCalendarFeed: revokeCalendarFeed(ctx),
      readCalendarFeed: readCalendarFeed(ctx),
      listToDos: listToDos(ctx),
      getToDo: getToDo(ctx),
      addToDo: addToDo(ctx),
      changeToDo: changeToDo(ctx),
      changeToDoStatus: changeToDoStatus(ctx),
      removeToDo: removeToDo(ctx),
      restoreToDo: restoreToDo(ctx),
      getEmergencySheet: getEmergencySheet(ctx),
      setEmergencySheet: setEmergencySheet(ctx),
      checkEmergencySheet: checkEmergencySheet(ctx),
      createEmergencyLink: createEmergencyLink(ctx),
      revokeEmergencyLink: revokeEmergencyLink(ctx),
      openEmergencyLink: openEmergencyLink(ctx),
      createSandboxWorkspaces: createSandboxWorkspaces(ctx),
      claimSandboxWorkspace: claimSandboxWorkspace(ctx),
      listUnclaimedWorkspaces: listUnclaimedWorkspaces(ctx),
      removeSandboxWorkspaces: removeSandboxWorkspaces(ctx),
    },
    context: ctx,
    background: [
      startInvitationSweeper(ctx),
      announceProposals(ctx),
      sweepProposals(invitationProposals(ctx), ctx),
      consumeEvents(ctx),
      consumeCalendarChanges(ctx),
      startNoticeSweeper(ctx),
      startReminderSweeper(ctx),
      startNewFeedSweeper(ctx),
      startUrgentMailSweeper(ctx),
      startLinkNewsSweeper(ctx),
      startPurgeSweeper(ctx),
      startRemovalSweeper(ctx),
      detectStreamLoss({
        connection: ctx.mailQueue.connection,
        stream: REMOVAL_STREAM,
        database: ctx.connection,
        logger: ctx.logger,
      }),
      consumeRemovals({
        connection: ctx.mailQueue.connection,
        natsReplicas: config.natsReplicas,
        identity: ctx.identity,
        service: 'care-circle',
        logger: ctx.logger,
        handlers: { workspace: (id) => removeWorkspace(ctx, id) },
      }),
    ],
  })
}
