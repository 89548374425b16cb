import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { World } from '../_world.ts'
import { invited, member, unusedCode } from '../world/_care-circle.ts'
import { linked } from '../world/_timeline.ts'
import { fails, type Scene, submit } from './_scene.ts'

const full = (world: World) => {
  world.lovedOnes.push(
    { id: 'lo_joao', name: 'João da Silva Pereira', address: 'joao-4q8x2m7k@family-inbox.test' },
    { id: 'lo_wei', name: '李伟' },
  )
  world.members.push(
    member('Luis Martin', Role.COORDINATOR, { relationship: 'son' }),
    member('Marta Duarte', Role.VIEWER, { relationship: 'neighbour' }),
    invited('a.rather.long.address.for.one.person@department.example.org', Role.VIEWER),
    invited('tom@example.org', Role.COORDINATOR),
  )
  world.codes.push(unusedCode('lo_rosa', '7K'), unusedCode('lo_joao', 'QX'))
  world.providers.push(linked('lo_rosa', 'Sunrise Home Care', true), linked('lo_joao', 'Nightingale', false))
}

const asViewer = (world: World) => {
  full(world)
  world.workspaces = [{ id: 'ws_martin', name: 'The Martin family', role: Role.VIEWER }]
}

const asCoordinator = (world: World) => {
  full(world)
  world.workspaces = [{ id: 'ws_martin', name: 'The Martin family', role: Role.COORDINATOR }]
}

const at = (name: string, path: string, more: Partial<Scene> = {}): Scene => ({
  name: `care-circle${name}`,
  signedIn: true,
  path: `/care-circle${path}`,
  arrange: full,
  ...more,
})

export const careCircleScenes: Scene[] = [
  at('', ''),
  at('-new', '', { arrange: () => {} }),
  at('-empty', '', { arrange: (world) => void world.lovedOnes.splice(0) }),
  at('-viewer', '', { arrange: asViewer }),
  at('-pipe-away', '', {
    arrange: (world) => fails(world, 'listLinkedProviders', new StatusError('UNAVAILABLE', 'x')),
  }),
  at('-person', '/people/per_luis'),
  at('-person-seen-by-viewer', '/people/per_luis', { arrange: asViewer }),
  at('-person-only-owner', '/people/per_ana'),
  at('-person-changed', '/people/per_luis', {
    act: async (page) => {
      await page.getByLabel('Viewer').check()
      await submit(page, 'Save role')
    },
  }),
  at('-remove', '/people/per_luis/remove'),
  at('-unlink', '/agencies/lnk_Nightingale/unlink'),
  at('-leave', '/leave', { arrange: asCoordinator }),
  at('-leave-only-owner', '/leave'),
  at('-invite', '/invite'),
  at('-invite-error', '/invite', { act: (page) => submit(page, 'Send invitation') }),
  at('-invite-limited', '/invite', {
    arrange: (world) => {
      const limit = new StatusError('RESOURCE_EXHAUSTED', 'Too many invitations were sent today.', {
        retryAfterSec: 20_000,
      })
      fails(world, 'inviteMember', limit)
    },
    act: async (page) => {
      await page.getByLabel('Their email address').fill('tom@example.org')
      await submit(page, 'Send invitation')
    },
  }),
  at('-invited', '/invite', {
    act: async (page) => {
      await page.getByLabel('Their email address').fill('tom@example.org')
      await submit(page, 'Send invitation')
    },
  }),
  at('-invitation', '/invitations/inv_tom'),
  at('-invitation-resent', '/invitations/inv_tom', { act: (page) => submit(page, 'Send again') }),
  at('-add', '/loved-ones/new'),
  at('-add-error', '/loved-ones/new', { act: (page) => submit(page, 'Add person') }),
  at('-added', '/loved-ones/new', {
    act: async (page) => {
      await page.getByLabel('Who are you caring for?').fill('Dad')
      await submit(page, 'Add person')
    },
  }),
  at('-loved-one', '/loved-ones/lo_rosa'),
  at('-loved-one-viewer', '/loved-ones/lo_rosa', { arrange: asViewer }),
  at('-loved-one-without-address', '/loved-ones/lo_wei'),
  at('-loved-one-error', '/loved-ones/lo_rosa', {
    act: async (page) => {
      await page.getByLabel('Name', { exact: true }).fill('')
      await submit(page, 'Save name')
    },
  }),
  at('-retire', '/loved-ones/lo_rosa/retire'),
  at('-make-code', '/codes/new?for=lo_joao'),
  at('-make-code-error', '/codes/new', { act: (page) => submit(page, 'Create code') }),
  at('-cancel-code', '/codes/pc_7k/cancel'),
  at('-code', '/codes/new?for=lo_joao', { act: (page) => submit(page, 'Create code') }),
  { name: 'connect', signedIn: true, path: '/connect' },
]
