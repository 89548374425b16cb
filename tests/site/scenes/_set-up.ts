import type { Page } from 'playwright-core'
import type { World } from '../_world.ts'
import { type Scene, submit } from './_scene.ts'

const open = (world: World) => {
  world.setUp = 'valid'
}

const enter = (code: string) => async (page: Page) => {
  await page.getByLabel('Set-up code').fill(code)
  await page.getByLabel('Your name').fill('Ana Martin')
  await page.getByLabel('Your email address').fill('ana@example.org')
  await page.getByLabel('Family name').fill('The Martin family')
  await submit(page, 'Create family')
}

export const setUpScenes: Scene[] = [
  { name: 'set-up', path: '/set-up', arrange: open },
  { name: 'set-up-error', path: '/set-up', arrange: open, act: (page) => submit(page, 'Create family') },
  { name: 'set-up-wrong-code', path: '/set-up', arrange: open, act: enter('aaaa-bbbb-cccc-dddd') },
  {
    name: 'set-up-new-code',
    path: '/set-up',
    arrange: (world) => {
      world.setUp = 'expired'
    },
  },
  { name: 'set-up-over', path: '/set-up' },
]
