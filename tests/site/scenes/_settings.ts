import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { World } from '../_world.ts'
import { LUIS } from '../world/_settings.ts'
import { type Scene, submit } from './_scene.ts'

const makeKey = async (page: Parameters<typeof submit>[0]) => {
  await page.getByLabel('What is it for?').fill('Claude Code on my laptop')
  await submit(page, 'Make the key')
}

const asViewer = (world: World) => {
  world.workspaces = [{ id: 'ws_martin', name: 'The Martin family', role: Role.VIEWER }]
}

const withoutAnything = (world: World) => {
  Object.assign(world.settings, { keys: [], grants: [], calls: [] })
}

const signedIn = (name: string, path: string, scene: Omit<Scene, 'name' | 'path'> = {}): Scene => ({
  name: `settings-${name}`,
  signedIn: true,
  path: `/settings${path}`,
  ...scene,
})

export const settingsScenes: Scene[] = [
  { name: 'settings', signedIn: true, path: '/settings' },
  signedIn('profile', '/profile'),
  signedIn('profile-error', '/profile', {
    act: async (page) => {
      await page.getByLabel('What are you called?').fill('')
      await submit(page, 'Save')
    },
  }),
  signedIn('profile-saved', '/profile', { act: (page) => submit(page, 'Save') }),
  signedIn('tool-keys', '/tool-keys'),
  signedIn('tool-keys-viewer', '/tool-keys', { arrange: asViewer }),
  signedIn('tool-keys-empty', '/tool-keys', { arrange: withoutAnything }),
  signedIn('tool-keys-error', '/tool-keys', { act: (page) => submit(page, 'Make the key') }),
  signedIn('tool-key-new', '/tool-keys', { act: makeKey }),
  signedIn('tool-key-twice', '/tool-keys', {
    act: async (page) => {
      await makeKey(page)
      await page.goBack()
      await makeKey(page)
    },
  }),
  signedIn('tool-key-revoke', '/tool-keys/key_1/revoke'),
  signedIn('tool-key-revoked', '/tool-keys/key_1/revoke', { act: (page) => submit(page, 'Revoke the key') }),
  signedIn('tool-key-foreign', '/tool-keys/key_other/revoke'),
  signedIn('connected-apps', '/connected-apps'),
  signedIn('connected-apps-empty', '/connected-apps', { arrange: withoutAnything }),
  signedIn('connected-app-disconnect', '/connected-apps/grant_1/disconnect'),
  signedIn('agent-activity', '/agent-activity', { arrange: (world) => void world.members.push(LUIS) }),
  signedIn('agent-activity-viewer', '/agent-activity', { arrange: asViewer }),
  signedIn('agent-activity-empty', '/agent-activity', { arrange: withoutAnything }),
  signedIn('agent-activity-refused', '/agent-activity', {
    act: async (page) => {
      await page.getByText('Show only some of it').click()
      await page.getByLabel('How it ended').selectOption('refused')
      await submit(page, 'Show')
    },
  }),
  signedIn('agent-activity-nothing-like-that', '/agent-activity?tool=create_provider_code'),
  signedIn('devices', '/devices'),
  signedIn('your-data', '/your-data'),
  signedIn('your-data-viewer', '/your-data', { arrange: asViewer }),
]
