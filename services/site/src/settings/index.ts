import type { Context } from '../context.ts'
import type { Route } from '../shell/mount-routes.ts'
import { recentlySignedIn, signedIn } from '../shell/session.ts'
import type { RedirectReply } from '../shell/visit.ts'
import { inWorkspace } from '../shell/workspace.ts'
import { addMailbox, showAddMailbox } from './add-mailbox.ts'
import { removeAddress, showAddressBook } from './address-book.ts'
import { showAgentActivity } from './agent-activity.ts'
import { setAssistants } from './assistant-switches.ts'
import { addBlocked, saveOnlySenders, showBlockedSenders, unblock } from './blocked-senders.ts'
import { changeApp, changeToolKey, showApp, showToolKey } from './change-assistant.ts'
import { finishConnecting, showConnectMailbox } from './connect-mailbox.ts'
import { deleteAccount, showDeleteAccount } from './delete-account.ts'
import { deleteWorkspace, showDeleteWorkspace } from './delete-workspace.ts'
import { showDevices, signOutDevice, signOutEverywhere } from './devices.ts'
import { disconnectApp, showDisconnectApp } from './disconnect-app.ts'
import { revokeToolKey, showRevokeToolKey } from './disconnect-key.ts'
import { showFamilyActivity } from './family-activity.ts'
import { setFirstNotifications, showFirstNotifications } from './first-notifications.ts'
import { pauseMailbox, removeMailbox, replacePassword, showMailboxes, tryMailbox } from './mailboxes.ts'
import { mintToolKey, showCreatedToolKey } from './mint-tool-key.ts'
import { setNoteAccess } from './note-access.ts'
import { setNotifications, showNotifications } from './notifications.ts'
import { showOverview } from './overview.ts'
import { addPasskey, beginAddPasskey, removePasskey, setPasskeyOnly, showPasskeys } from './passkeys.ts'
import { renamePerson, showProfile } from './profile.ts'
import { addPushDevice, removePushDevice } from './push-devices.ts'
import { makeRecoverySheet } from './recovery-sheet.ts'
import { setReplyFooter, showReplyFooters } from './reply-footers.ts'
import { ASSISTANTS, MAILBOXES } from './settings-list.ts'
import { showToolKeys } from './tool-keys.ts'
import { showUnsubscribe, unsubscribe } from './unsubscribe.ts'
import { showAssistants } from './your-assistants.ts'
import { downloadData, showYourData } from './your-data.ts'

export function settingsRoutes(ctx: Context): Route[] {
  return [
    { path: '/settings', get: inWorkspace(ctx, showOverview(ctx)) },
    { path: '/settings/profile', get: inWorkspace(ctx, showProfile()), post: inWorkspace(ctx, renamePerson(ctx)) },
    {
      path: '/settings/passkeys',
      get: inWorkspace(ctx, showPasskeys(ctx)),
      post: recentlySignedIn(inWorkspace(ctx, addPasskey(ctx)), ['name']),
    },
    {
      path: '/settings/notifications/first',
      get: inWorkspace(ctx, showFirstNotifications(ctx)),
      post: inWorkspace(ctx, setFirstNotifications(ctx)),
    },
    { path: '/settings/notifications/devices', post: inWorkspace(ctx, addPushDevice(ctx)) },
    { path: '/settings/notifications/devices/:id/remove', post: inWorkspace(ctx, removePushDevice(ctx)) },
    { path: '/settings/passkeys/options', post: signedIn(ctx, beginAddPasskey(ctx)) },
    {
      path: '/settings/passkeys/only',
      post: recentlySignedIn(inWorkspace(ctx, setPasskeyOnly(ctx)), [], '/settings/passkeys'),
    },
    {
      path: '/settings/passkeys/recovery-sheet',
      post: recentlySignedIn(inWorkspace(ctx, makeRecoverySheet(ctx)), [], '/settings/passkeys'),
    },
    {
      path: '/settings/passkeys/:id/remove',
      post: recentlySignedIn(inWorkspace(ctx, removePasskey(ctx)), [], '/settings/passkeys'),
    },
    {
      path: '/settings/tool-keys',
      get: inWorkspace(ctx, showToolKeys(ctx)),
      post: recentlySignedIn(inWorkspace(ctx, mintToolKey(ctx)), ['name', 'access']),
    },
    { path: '/settings/tool-keys/created', get: recentlySignedIn(inWorkspace(ctx, showCreatedToolKey(ctx))) },
    {
      path: '/settings/tool-keys/:id',
      get: inWorkspace(ctx, showToolKey(ctx)),
      post: recentlySignedIn(inWorkspace(ctx, changeToolKey(ctx))),
    },
    {
      path: '/settings/tool-keys/:id/revoke',
      get: inWorkspace(ctx, showRevokeToolKey(ctx)),
      post: inWorkspace(ctx, revokeToolKey(ctx)),
    },
    { path: '/settings/connected-apps', get: movedToAssistants },
    {
      path: '/settings/connected-apps/:id/disconnect',
      get: inWorkspace(ctx, showDisconnectApp(ctx)),
      post: inWorkspace(ctx, disconnectApp(ctx)),
    },
    {
      path: '/settings/connected-apps/:id',
      get: inWorkspace(ctx, showApp(ctx)),
      post: recentlySignedIn(inWorkspace(ctx, changeApp(ctx))),
    },
    {
      path: '/settings/assistants',
      get: inWorkspace(ctx, showAssistants(ctx)),
      post: recentlySignedIn(inWorkspace(ctx, setAssistants(ctx))),
    },
    { path: '/settings/agent-activity', get: inWorkspace(ctx, showAgentActivity(ctx)) },
    { path: '/settings/family-activity', get: inWorkspace(ctx, showFamilyActivity(ctx)) },
    {
      path: '/settings/devices',
      get: inWorkspace(ctx, showDevices(ctx)),
      post: inWorkspace(ctx, signOutDevice(ctx)),
    },
    { path: '/settings/devices/everywhere', post: inWorkspace(ctx, signOutEverywhere(ctx)) },
    {
      path: '/settings/notifications',
      get: inWorkspace(ctx, showNotifications(ctx)),
      post: inWorkspace(ctx, setNotifications(ctx)),
    },
    {
      path: '/settings/reply-footers',
      get: inWorkspace(ctx, showReplyFooters(ctx)),
      post: inWorkspace(ctx, setReplyFooter(ctx)),
    },
    {
      path: '/settings/notes',
      get: movedToAssistants,
      post: recentlySignedIn(inWorkspace(ctx, setNoteAccess(ctx)), ['allowed', 'files'], ASSISTANTS.href),
    },
    {
      path: '/settings/blocked-senders',
      get: inWorkspace(ctx, showBlockedSenders(ctx)),
      post: inWorkspace(ctx, addBlocked(ctx)),
    },
    { path: MAILBOXES.href, get: inWorkspace(ctx, showMailboxes(ctx)) },
    {
      path: `${MAILBOXES.href}/add`,
      get: inWorkspace(ctx, showAddMailbox(ctx)),
      post: inWorkspace(ctx, addMailbox(ctx)),
    },
    { path: `${MAILBOXES.href}/connected`, get: inWorkspace(ctx, finishConnecting(ctx)) },
    { path: `${MAILBOXES.href}/:id/connect`, get: inWorkspace(ctx, showConnectMailbox(ctx)) },
    { path: `${MAILBOXES.href}/:id/try`, post: inWorkspace(ctx, tryMailbox(ctx)) },
    { path: `${MAILBOXES.href}/:id/pause`, post: inWorkspace(ctx, pauseMailbox(ctx)) },
    { path: `${MAILBOXES.href}/:id/password`, post: inWorkspace(ctx, replacePassword(ctx)) },
    { path: `${MAILBOXES.href}/:id/remove`, post: inWorkspace(ctx, removeMailbox(ctx)) },
    { path: '/settings/blocked-senders/unblock', post: inWorkspace(ctx, unblock(ctx)) },
    { path: '/settings/blocked-senders/only', post: inWorkspace(ctx, saveOnlySenders(ctx)) },
    { path: '/settings/address-book', get: inWorkspace(ctx, showAddressBook(ctx)) },
    { path: '/settings/address-book/remove', post: inWorkspace(ctx, removeAddress(ctx)) },
    { path: '/settings/your-data', get: inWorkspace(ctx, showYourData(ctx)) },
    { path: '/settings/your-data/download', post: inWorkspace(ctx, downloadData(ctx)) },
    {
      path: '/settings/your-data/delete-account',
      get: signedIn(ctx, showDeleteAccount(ctx)),
      post: recentlySignedIn(signedIn(ctx, deleteAccount(ctx)), ['confirm']),
    },
    {
      path: '/settings/your-data/delete-family',
      get: inWorkspace(ctx, showDeleteWorkspace()),
      post: recentlySignedIn(inWorkspace(ctx, deleteWorkspace(ctx)), ['confirm']),
    },
    {
      path: '/unsubscribe/:token',
      get: showUnsubscribe('notifications'),
      post: unsubscribe(ctx, 'notifications'),
      postFrom: 'anywhere',
    },
    {
      path: '/unsubscribe/:token/weekly',
      get: showUnsubscribe('weeklySummary'),
      post: unsubscribe(ctx, 'weeklySummary'),
      postFrom: 'anywhere',
    },
  ]
}

/** Older mails and bookmarks lead to pages that are now parts of this one. */
async function movedToAssistants(): Promise<RedirectReply> {
  return { redirectTo: ASSISTANTS.href }
}
