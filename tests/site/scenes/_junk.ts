import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { AsidePlace, type OpenMessageAsideResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { fullInbox } from './_inbox.ts'
import { type Scene, submit } from './_scene.ts'

function aside(id: string, more: Partial<NonNullable<OpenMessageAsideResponse['message']>>): OpenMessageAsideResponse {
  return {
    message: {
      id,
      lovedOneId: 'lo_rosa',
      place: AsidePlace.JUNK,
      sender: { name: 'Best Offers', address: 'offers@shop.example' },
      subject: 'A stairlift at half the price, today only',
      preview: 'Call us now and save more than ever before.',
      receivedAt: new Date('2026-06-01T08:00:00Z'),
      movedBy: '',
      movedAt: new Date('2026-06-01T08:00:00Z'),
      purgeAt: new Date('2026-07-01T08:00:00Z'),
      messages: 1,
      ...more,
    },
    body: 'Call us now and save more than ever before.\n\nYour friends at Best Offers',
    fileNames: ['price list.pdf', 'photo.jpg'],
  }
}

const withJunk: Scene['arrange'] = (world) => {
  fullInbox(world)
  world.inbox.aside = [
    aside('msg_offer', {}),
    aside('msg_prize', { subject: 'You have won', movedBy: 'Luis Martin', messages: 3 }),
    aside('msg_wrong', { place: AsidePlace.DELETED, subject: 'Results of M. Keller', movedBy: 'Ana Martin' }),
  ]
  world.inbox.filter = {
    blocked: [
      { sender: 'offers@shop.example', blockedBy: 'Ana Martin', blockedAt: new Date('2026-05-30T08:00:00Z') },
      { sender: '@prizes-and-more.example', blockedBy: 'Luis Martin', blockedAt: new Date('2026-04-02T08:00:00Z') },
    ],
    only: [{ lovedOneId: 'lo_rosa', on: true, senders: ['desk@clinic.example', '@pharmacy.example'] }],
  }
}

const asViewer: Scene['arrange'] = (world) => {
  withJunk?.(world)
  world.workspaces = [{ id: 'ws_martin', name: 'The Martin family', role: Role.VIEWER }]
}

const scene = (name: string, path: string, more: Omit<Scene, 'name' | 'path'> = {}): Scene => ({
  name,
  signedIn: true,
  path,
  arrange: withJunk,
  ...more,
})

export const junkScenes: Scene[] = [
  scene('junk', '/junk'),
  scene('junk-viewer', '/junk', { arrange: asViewer }),
  scene('junk-empty', '/junk', { arrange: fullInbox }),
  scene('junk-message', '/junk/lo_rosa/msg_prize'),
  scene('deleted', '/deleted'),
  scene('deleted-viewer', '/deleted', { arrange: asViewer }),
  scene('deleted-for-good', '/deleted/lo_rosa/msg_wrong/delete'),
  scene('block-sender', '/inbox/lo_rosa/msg_results/block'),
  scene('not-ours', '/inbox/lo_rosa/msg_results/not-ours'),
  scene('settings-blocked-senders', '/settings/blocked-senders'),
  scene('settings-blocked-senders-viewer', '/settings/blocked-senders', { arrange: asViewer }),
  scene('settings-blocked-senders-error', '/settings/blocked-senders', {
    act: async (page) => {
      await page.getByLabel('Block an address').fill('shop')
      await submit(page, 'Block')
    },
  }),
]
