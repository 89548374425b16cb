import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { World } from '../_world.ts'
import { LUIS } from '../world/_settings.ts'
import { fullInbox } from './_inbox.ts'
import { follow, type Scene, submit } from './_scene.ts'

const makeKey = async (page: Parameters<typeof submit>[0]) => {
  await page.getByLabel('Name').fill('Claude Code on my laptop')
  await submit(page, 'Create key')
}

const deleteAccount = async (page: Parameters<typeof submit>[0]) => {
  await page.getByLabel('To confirm').fill('ana@example.org')
  await submit(page, 'Delete my account')
}

const chooseDigest = async (page: Parameters<typeof submit>[0]) => {
  await page.getByLabel('Once a day').check()
  await page.getByLabel('Time zone').selectOption('Europe/Lisbon')
  await submit(page, 'Save')
}

const asViewer = (world: World) => {
  world.workspaces = [{ id: 'ws_martin', name: 'The Martin family', role: Role.VIEWER }]
}

const withoutAnything = (world: World) => {
  Object.assign(world.settings, { keys: [], grants: [], calls: [], passkeys: [] })
}

const signedIn = (name: string, path: string, scene: Omit<Scene, 'name' | 'path'> = {}): Scene => ({
  name: `settings-${name}`,
  signedIn: true,
  path: `/settings${path}`,
  ...scene,
})

const withAddresses: Scene['arrange'] = (world) => {
  world.inbox.correspondents = [
    { name: 'Clínica do Sol', address: 'desk@clinic.example', lastAt: new Date('2026-06-01T08:00:00Z') },
    { name: 'Farmácia Central', address: 'orders@pharmacy.example', lastAt: new Date('2026-05-02T08:00:00Z') },
    { name: '', address: 'dr.matos@practice.example', lastAt: new Date('2026-04-02T08:00:00Z') },
  ]
}

export const settingsScenes: Scene[] = [
  { name: 'settings-address-book', signedIn: true, path: '/settings/address-book', arrange: withAddresses },
  { name: 'settings-address-book-empty', signedIn: true, path: '/settings/address-book' },
  { name: 'settings', signedIn: true, path: '/settings' },
  { name: 'settings-reply-footers', signedIn: true, path: '/settings/reply-footers' },
  {
    name: 'settings-reply-footers-viewer',
    signedIn: true,
    path: '/settings/reply-footers',
    arrange: (world) => {
      world.workspaces = [{ id: 'ws_martin', name: 'The Martin family', role: Role.VIEWER }]
    },
  },
  {
    name: 'settings-reply-footers-saved',
    signedIn: true,
    path: '/settings/reply-footers',
    act: async (page) => {
      await page.getByRole('textbox').first().fill('For Rosa Martin, born 4 May 1941')
      await follow(page, page.getByRole('button', { name: /^Save/ }).first())
      await page.getByText('Replies end with this line').waitFor()
    },
  },
  {
    name: 'settings-reply-footers-error',
    signedIn: true,
    path: '/settings/reply-footers',
    act: async (page) => {
      const field = page.getByRole('textbox').first()
      await field.evaluate((one) => one.removeAttribute('maxlength'))
      await field.fill('For Rosa Martin. '.repeat(20))
      await follow(page, page.getByRole('button', { name: /^Save/ }).first())
      await page.getByRole('alert').waitFor()
    },
  },
  signedIn('profile', '/profile'),
  signedIn('profile-error', '/profile', {
    act: async (page) => {
      await page.getByLabel('Name').fill('')
      await submit(page, 'Save')
    },
  }),
  signedIn('profile-saved', '/profile', { act: (page) => submit(page, 'Save') }),
  signedIn('passkeys', '/passkeys'),
  signedIn('passkeys-empty', '/passkeys', { arrange: withoutAnything }),
  signedIn('passkey-removed', '/passkeys', {
    act: (page) => submit(page, 'Remove My phone'),
  }),
  signedIn('tool-keys', '/tool-keys'),
  signedIn('tool-keys-viewer', '/tool-keys', { arrange: asViewer }),
  signedIn('tool-keys-empty', '/tool-keys', { arrange: withoutAnything }),
  signedIn('tool-keys-error', '/tool-keys', { act: (page) => submit(page, 'Create key') }),
  signedIn('tool-key-new', '/tool-keys', { act: makeKey }),
  signedIn('tool-key-twice', '/tool-keys', {
    act: async (page) => {
      await makeKey(page)
      await page.evaluate('history.back()')
      await page.locator('#key').waitFor({ state: 'detached' })
      await makeKey(page)
    },
  }),
  signedIn('tool-key-revoke', '/tool-keys/key_1/revoke'),
  signedIn('tool-key-revoked', '/tool-keys/key_1/revoke', { act: (page) => submit(page, 'Disconnect') }),
  signedIn('tool-key-foreign', '/tool-keys/key_other/revoke'),
  signedIn('assistants-empty', '/assistants', { arrange: withoutAnything }),
  signedIn('assistant-paused', '/assistants', { act: (page) => submit(page, 'Pause Claude') }),
  signedIn('connected-app-disconnect', '/connected-apps/grant_1/disconnect'),
  signedIn('agent-activity', '/agent-activity', { arrange: (world) => void world.members.push(LUIS) }),
  signedIn('agent-activity-viewer', '/agent-activity', { arrange: asViewer }),
  signedIn('agent-activity-empty', '/agent-activity', { arrange: withoutAnything }),
  signedIn('agent-activity-refused', '/agent-activity', {
    act: async (page) => {
      await page.getByText('Filter', { exact: true }).click()
      await page.getByLabel('Result').selectOption('refused')
      await submit(page, 'Show')
    },
  }),
  signedIn('agent-activity-unfolded', '/agent-activity?assistant=grant_1', {
    arrange: fullInbox,
    act: (page) => page.getByText('Show calls').first().click(),
  }),
  signedIn('agent-activity-paused', '/agent-activity', { act: (page) => submit(page, 'Pause Claude') }),
  signedIn('agent-activity-no-match', '/agent-activity?tool=create_provider_code'),
  signedIn('family-activity', '/family-activity', { arrange: (world) => void world.members.push(LUIS) }),
  signedIn('family-activity-viewer', '/family-activity', { arrange: asViewer }),
  signedIn('family-activity-empty', '/family-activity', { arrange: withoutAnything }),
  signedIn('devices', '/devices'),
  signedIn('your-data', '/your-data'),
  signedIn('your-data-viewer', '/your-data', { arrange: asViewer }),
  signedIn('delete-workspace', '/your-data/delete-family'),
  signedIn('delete-family-error', '/your-data/delete-family', {
    act: (page) => submit(page, 'Delete permanently'),
  }),
  signedIn('delete-account', '/your-data/delete-account'),
  signedIn('delete-account-last-owner', '/your-data/delete-account', { act: deleteAccount }),
  signedIn('delete-account-done', '/your-data/delete-account', { arrange: asViewer, act: deleteAccount }),
  signedIn('notifications', '/notifications'),
  signedIn('notifications-first', '/notifications/first'),
  signedIn('notifications-saved', '/notifications', { act: chooseDigest }),
  { name: 'unsubscribe', path: '/unsubscribe/tok_1' },
  { name: 'unsubscribed', path: '/unsubscribe/tok_1', act: (page) => submit(page, 'Turn off notifications') },
]
