import { DeliveryState } from '@family-inbox/proto/inbox/v1/inbox'
import type { World } from '../_world.ts'
import { fullInbox } from './_inbox.ts'
import { type Scene, submit } from './_scene.ts'

const PATH = '/inbox/lo_rosa/msg_results/forward'

const withAddresses = (world: World) => {
  fullInbox(world)
  world.inbox.correspondents = [{ name: 'Front desk', address: 'desk@clinic.example', lastAt: new Date() }]
}

const written = (world: World) => {
  withAddresses(world)
  const [newest] = world.inbox.messages
  if (newest?.open.message === undefined || newest.entry.message === undefined) return
  const to = { name: '', address: 'desk@clinic.example' }
  const sender = { name: 'Ana Martin', address: 'k3h9w2@inbox.example' }
  const message = { ...newest.open.message, sender, originalSender: undefined, writtenTo: to, attachmentCount: 0 }
  Object.assign(newest.open, { message, attachments: [], readBy: [], replyTo: to.address })
  newest.entry.message = message
  newest.open.replies = [
    {
      id: 'rep_1',
      personId: world.person.id,
      name: 'Ana Martin',
      to: to.address,
      body: newest.open.body,
      sentAt: message.receivedAt,
      delivery: DeliveryState.SENT,
      copies: [],
      messageId: message.id,
      undoUntil: undefined,
      opening: true,
    },
  ]
}

export const outgoingScenes: Scene[] = [
  { name: 'write', signedIn: true, path: '/inbox/write', arrange: withAddresses },
  { name: 'write-nobody', signedIn: true, path: '/inbox/write', arrange: fullInbox },
  {
    name: 'write-error',
    signedIn: true,
    path: '/inbox/write',
    arrange: withAddresses,
    act: async (page) => {
      await page.getByLabel('Subject').fill('A refill')
      await page.getByLabel('To').fill('stranger@example.org')
      await submit(page, 'Send')
    },
  },
  {
    name: 'written',
    signedIn: true,
    path: '/inbox/write',
    arrange: withAddresses,
    act: async (page) => {
      await page.getByLabel('To').fill('desk@clinic.example')
      await page.getByLabel('Subject').fill('A refill')
      await page.getByLabel('Your message').fill('Could you renew it?')
      await submit(page, 'Send')
    },
  },
  { name: 'message-written', signedIn: true, path: '/inbox/lo_rosa/msg_results?all=1', arrange: written },
  { name: 'forward', signedIn: true, path: PATH, arrange: fullInbox },
  {
    name: 'forward-error',
    signedIn: true,
    path: PATH,
    arrange: fullInbox,
    act: async (page) => {
      await page.getByLabel('Your words').fill('What do you think of these?')
      await submit(page, 'Forward')
    },
  },
  {
    name: 'message-forwarded',
    signedIn: true,
    path: PATH,
    arrange: fullInbox,
    act: async (page) => {
      await page.getByLabel('To').fill('dr.matos@practice.example')
      await page.getByLabel('Your words').fill('What do you think of these?')
      await submit(page, 'Forward')
    },
  },
]
