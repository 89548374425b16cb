import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { World } from '../_world.ts'
import { someApprovals } from '../world/_approvals.ts'
import { type Scene, submit } from './_scene.ts'

const asViewer = (world: World) => {
  world.workspaces = [{ id: 'ws_martin', name: 'The Martin family', role: Role.VIEWER }]
}

const waiting = (name: string, path: string, act?: Scene['act']): Scene => ({
  name: `approvals-${name}`,
  signedIn: true,
  path: `/approvals${path}`,
  arrange: someApprovals,
  ...(act && { act }),
})

const settings = (name: string, path: string, scene: Partial<Scene> = {}): Scene => ({
  name: `settings-${name}`,
  signedIn: true,
  path: `/settings${path}`,
  ...scene,
})

export const approvalScenes: Scene[] = [
  waiting('list', ''),
  { name: 'approvals-empty', signedIn: true, path: '/approvals' },
  waiting('reply', '/replies/prop_1'),
  waiting('reply-declined', '/replies/prop_1', async (page) => {
    await submit(page, 'Decline')
    await page.goto(new URL('/approvals/replies/prop_1', page.url()).href)
  }),
  waiting('reply-error', '/replies/prop_1', async (page) => {
    await page.getByLabel('The reply').fill('')
    await submit(page, 'Send reply')
    await page.getByRole('alert').waitFor()
  }),
  waiting('invitation', '/invitations/invp_1'),
  settings('assistants', '/assistants'),
  settings('assistants-paused', '/assistants', { act: (page) => submit(page, 'Pause all assistants') }),
  settings('assistants-viewer', '/assistants', { arrange: asViewer }),
  settings('tool-key-change', '/tool-keys/key_1'),
  settings('tool-key-paused', '/tool-keys/key_1', { act: (page) => submit(page, 'Pause Claude Code on my laptop') }),
  settings('connected-app-change', '/connected-apps/grant_1'),
  settings('connected-app-read-only', '/connected-apps/grant_2'),
]
