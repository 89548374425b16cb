import { DeliveryState } from '@family-inbox/proto/inbox/v1/inbox'
import type { Page } from 'playwright-core'
import type { World } from '../_world.ts'
import { type Scene, submit } from './_scene.ts'

const sayWho = async (page: Page) => {
  await page.getByLabel('Their name').fill('Rosa Martin')
  await submit(page, 'Continue')
  await page.getByLabel('Your name').waitFor()
}

const sayYou = async (page: Page) => {
  await sayWho(page)
  await submit(page, 'Continue')
  await page.getByLabel('Family name').waitFor()
}

const GUIDE = '/forwarding/lo_rosa'

const test = (delivery: DeliveryState, arrivedAt?: Date) => (world: World) => {
  world.inbox.forwarding.testMail = { id: 'tst_1', sentAt: new Date(), delivery, arrivedAt }
}

const code = (confirmationAuthentic: boolean | undefined) => (world: World) => {
  Object.assign(world.inbox.forwarding, {
    confirmation: { provider: 'gmail', code: '987654321', link: 'https://mail-settings.google.com/mail/vf-abc' },
    confirmationReceivedAt: new Date(),
    confirmationAuthentic,
    confirmationMessageId: 'msg_1',
  })
}

export const welcomeScenes: Scene[] = [
  { name: 'welcome-error', signedIn: true, path: '/welcome', act: (page) => submit(page, 'Continue') },
  { name: 'welcome-you', signedIn: true, path: '/welcome', act: sayWho },
  {
    name: 'welcome-you-error',
    signedIn: true,
    path: '/welcome',
    act: async (page) => {
      await sayWho(page)
      await page.getByLabel('Your name').fill(' ')
      await submit(page, 'Continue')
      await page.getByRole('alert').waitFor()
    },
  },
  { name: 'welcome-family', signedIn: true, path: '/welcome', act: sayYou },
  { name: 'guide', signedIn: true, path: GUIDE },
  { name: 'guide-other', signedIn: true, path: `${GUIDE}?with=other` },
  { name: 'guide-code', signedIn: true, path: GUIDE, arrange: code(true) },
  { name: 'guide-code-unconfirmed', signedIn: true, path: GUIDE, arrange: code(false) },
  { name: 'guide-test-sent', signedIn: true, path: GUIDE, arrange: test(DeliveryState.SENT) },
  { name: 'guide-test-arrived', signedIn: true, path: GUIDE, arrange: test(DeliveryState.SENT, new Date()) },
  { name: 'guide-test-failed', signedIn: true, path: GUIDE, arrange: test(DeliveryState.FAILED) },
  {
    name: 'guide-works',
    signedIn: true,
    path: GUIDE,
    arrange: (world) => {
      code(true)(world)
      world.inbox.forwarding.hasMail = true
    },
  },
  {
    name: 'guide-everything',
    signedIn: true,
    path: `${GUIDE}?with=icloud`,
    arrange: code(true),
    act: (page) => page.getByText('Forward everything instead').click(),
  },
  {
    name: 'guide-no-address',
    signedIn: true,
    path: GUIDE,
    arrange: (world) => {
      world.lovedOnes = [{ id: 'lo_rosa', name: 'Rosa Martin' }]
    },
  },
]
