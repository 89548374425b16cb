import type { Context } from '../context.ts'
import type { Route } from '../shell/mount-routes.ts'
import { recentlySignedIn } from '../shell/recent-sign-in.ts'
import { signedIn } from '../shell/session.ts'
import { inHousehold } from '../shell/workspace.ts'
import { showAgentActivity } from './agent-activity.ts'
import { showConnectedApps } from './connected-apps.ts'
import { deleteAccount, showDeleteAccount } from './delete-account.ts'
import { deleteHousehold, showDeleteHousehold } from './delete-workspace.ts'
import { showDevices, signOutDevice, signOutEverywhere } from './devices.ts'
import { disconnectApp, showDisconnectApp } from './disconnect-app.ts'
import { mintToolKey } from './mint-tool-key.ts'
import { setNotifications, showNotifications } from './notifications.ts'
import { showOverview } from './overview.ts'
import { addPasskey, beginAddPasskey, removePasskey, showPasskeys } from './passkeys.ts'
import { renamePerson, showProfile } from './profile.ts'
import { revokeToolKey, showRevokeToolKey } from './revoke-tool-key.ts'
import { showToolKeys } from './tool-keys.ts'
import { downloadData, showYourData } from './your-data.ts'

/** Every address of the settings. */
export function settingsRoutes(ctx: Context): Route[] {
  return [
    { path: '/settings', get: inHousehold(ctx, showOverview()) },
    { path: '/settings/profile', get: inHousehold(ctx, showProfile()), post: inHousehold(ctx, renamePerson(ctx)) },
    {
      path: '/settings/passkeys',
      get: inHousehold(ctx, showPasskeys(ctx)),
      post: recentlySignedIn(inHousehold(ctx, addPasskey(ctx)), ['name']),
    },
    { path: '/settings/passkeys/options', post: signedIn(ctx, beginAddPasskey(ctx)) },
    { path: '/settings/passkeys/:id/remove', post: inHousehold(ctx, removePasskey(ctx)) },
    {
      path: '/settings/tool-keys',
      get: inHousehold(ctx, showToolKeys(ctx)),
      post: recentlySignedIn(inHousehold(ctx, mintToolKey(ctx)), ['name']),
    },
    {
      path: '/settings/tool-keys/:id/revoke',
      get: inHousehold(ctx, showRevokeToolKey(ctx)),
      post: inHousehold(ctx, revokeToolKey(ctx)),
    },
    { path: '/settings/connected-apps', get: inHousehold(ctx, showConnectedApps(ctx)) },
    {
      path: '/settings/connected-apps/:id/disconnect',
      get: inHousehold(ctx, showDisconnectApp(ctx)),
      post: inHousehold(ctx, disconnectApp(ctx)),
    },
    { path: '/settings/agent-activity', get: inHousehold(ctx, showAgentActivity(ctx)) },
    {
      path: '/settings/devices',
      get: inHousehold(ctx, showDevices(ctx)),
      post: inHousehold(ctx, signOutDevice(ctx)),
    },
    { path: '/settings/devices/everywhere', post: inHousehold(ctx, signOutEverywhere(ctx)) },
    {
      path: '/settings/notifications',
      get: inHousehold(ctx, showNotifications(ctx)),
      post: inHousehold(ctx, setNotifications(ctx)),
    },
    { path: '/settings/your-data', get: inHousehold(ctx, showYourData(ctx)) },
    { path: '/settings/your-data/download', post: inHousehold(ctx, downloadData(ctx)) },
    {
      path: '/settings/your-data/delete-account',
      get: signedIn(ctx, showDeleteAccount(ctx)),
      post: recentlySignedIn(signedIn(ctx, deleteAccount(ctx)), ['confirm']),
    },
    {
      path: '/settings/your-data/delete-household',
      get: inHousehold(ctx, showDeleteHousehold()),
      post: recentlySignedIn(inHousehold(ctx, deleteHousehold(ctx)), ['confirm']),
    },
  ]
}
