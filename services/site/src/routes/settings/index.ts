import { recentlySignedIn } from '../../confirm/recently-signed-in.ts'
import type { Context } from '../../context.ts'
import { inHousehold } from '../../household.ts'
import type { Route } from '../../http/mount-routes.ts'
import { signedIn } from '../../session.ts'
import { addPasskey } from './add-passkey.ts'
import { beginAddPasskey } from './begin-add-passkey.ts'
import { deleteAccount } from './delete-account.ts'
import { deleteHousehold } from './delete-household.ts'
import { disconnectApp } from './disconnect-app.ts'
import { downloadData } from './download-data.ts'
import { mintToolKey } from './mint-tool-key.ts'
import { removePasskey } from './remove-passkey.ts'
import { renamePerson } from './rename-person.ts'
import { revokeToolKey } from './revoke-tool-key.ts'
import { setNotifications } from './set-notifications.ts'
import { showAgentActivity } from './show-agent-activity.ts'
import { showConnectedApps } from './show-connected-apps.ts'
import { showDeleteAccount } from './show-delete-account.ts'
import { showDeleteHousehold } from './show-delete-household.ts'
import { showDevices } from './show-devices.ts'
import { showDisconnectApp } from './show-disconnect-app.ts'
import { showNotifications } from './show-notifications.ts'
import { showOverview } from './show-overview.ts'
import { showPasskeys } from './show-passkeys.ts'
import { showProfile } from './show-profile.ts'
import { showRevokeToolKey } from './show-revoke-tool-key.ts'
import { showToolKeys } from './show-tool-keys.ts'
import { showYourData } from './show-your-data.ts'
import { signOutDevice } from './sign-out-device.ts'
import { signOutEverywhere } from './sign-out-everywhere.ts'

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
