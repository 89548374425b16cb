import { fullInbox } from './_inbox.ts'
import { type Scene, submit } from './_scene.ts'

const PATH = '/inbox/lo_rosa/msg_results/forward'

export const forwardScenes: Scene[] = [
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
