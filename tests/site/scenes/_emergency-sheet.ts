import { EmergencyLinkState, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Page } from 'playwright-core'
import type { World } from '../_world.ts'
import { LINK_CODE, openLink } from '../world/_emergency-sheet.ts'
import { type Scene, submit } from './_scene.ts'

const SHEET = '/emergency-sheets/lo_rosa'
const STRANGER = `/emergency/${'7k'.repeat(16)}`

const written = (world: World) => {
  world.emergency.sheet = {
    texts: {
      conditions: 'Heart failure (NYHA II)\nPacemaker since 2021, left side\nHip replacement 2019, right',
      allergies: 'Penicillin: rash and shortness of breath\nLatex',
      medication:
        'Bisoprolol 2.5 mg, 1 in the morning\nRamipril 5 mg, 1 in the morning, 1 in the evening\nApixaban 5 mg, 1 in the morning, 1 in the evening',
      doctors:
        'Dr. Weber, cardiologist, St. Mary’s Clinic, +351 21 555 01 20\nDr. Sousa, family doctor, +351 21 555 01 77',
      insurance: 'Health Service 123 456 789\nMédis, card 0098 7654 3210',
      contacts: 'Ana Martin, daughter, +351 91 555 01 42\nLuis Martin, son, +351 91 555 01 43',
      wishes: '',
    },
    version: 4,
    changedByName: 'Luis Martin',
    checkedByName: 'Ana Martin',
    checkedAt: new Date('2026-05-03T10:00:00Z'),
  }
}

const as = (role: Role) => (world: World) => {
  written(world)
  world.workspaces = [{ id: 'ws_martin', name: 'The Martin family', role }]
}

const withLinks = (world: World) => {
  written(world)
  const before = (hours: number) => new Date(Date.now() - hours * 3_600_000)
  world.emergency.links = [
    openLink('eml_1', { createdAt: before(2), openedCount: 3, openedAt: [before(0.2), before(1), before(1.5)] }),
    openLink('eml_2'),
    openLink('eml_3', { state: EmergencyLinkState.LOCKED, createdAt: before(20) }),
    openLink('eml_4', {
      state: EmergencyLinkState.REVOKED,
      createdAt: before(100),
      openedCount: 1,
      openedAt: [before(99)],
    }),
    openLink('eml_5', { state: EmergencyLinkState.EXPIRED, createdAt: before(300), expiresAt: before(276) }),
  ]
}

/** Somebody else saves while the form is open. */
const saveAfterAnother = (world: { current?: World }) => async (page: Page) => {
  await page.getByLabel('Allergies').fill('Penicillin, latex, and nuts')
  const { sheet } = world.current?.emergency ?? {}
  if (sheet?.texts) {
    sheet.texts = { ...sheet.texts, allergies: 'Penicillin, latex, and pollen', wishes: 'Speaks Portuguese' }
    sheet.version += 1
  }
  await submit(page, 'Save')
}

const held: { current?: World } = {}

const openWith = (code: string) => async (page: Page) => {
  await page.getByLabel('Code').fill(code)
  await submit(page, 'Open')
}

const scene = (name: string, path: string, more: Omit<Scene, 'name' | 'path'> = {}): Scene => ({
  name: `emergency-${name}`,
  signedIn: true,
  path,
  arrange: written,
  ...more,
})

export const emergencySheetScenes: Scene[] = [
  scene('sheet', SHEET),
  scene('sheet-coordinator', SHEET, { arrange: as(Role.COORDINATOR) }),
  scene('sheet-viewer', SHEET, { arrange: as(Role.VIEWER) }),
  scene('sheet-empty', SHEET, { arrange: () => {} }),
  scene('sheet-checked', SHEET, { act: (page) => submit(page, 'Checked today, nothing changed') }),
  scene('sheet-change', `${SHEET}/change`),
  scene('sheet-new', `${SHEET}/change`, { arrange: () => {} }),
  scene('sheet-two-people', `${SHEET}/change`, {
    arrange: (world) => {
      written(world)
      held.current = world
    },
    act: saveAfterAnother(held),
  }),
  scene('sheet-checked-but-changed', `${SHEET}/change`, {
    act: async (page) => {
      await page.getByLabel('Allergies').fill('None known')
      await submit(page, 'Checked today, nothing changed')
    },
  }),
  scene('links', `${SHEET}/links`, { arrange: withLinks }),
  scene('links-none', `${SHEET}/links`),
  scene('link-created', `${SHEET}/links`, { act: (page) => submit(page, 'Create link') }),
  scene('link-code', STRANGER, { signedIn: false }),
  scene('link-wrong-code', STRANGER, { signedIn: false, act: openWith('000000') }),
  scene('link-opened', STRANGER, { signedIn: false, act: openWith(LINK_CODE) }),
]
