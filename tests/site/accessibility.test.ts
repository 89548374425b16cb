import { violationsOf } from './_axe.ts'
import { openLanes, visitOnPhone } from './_lanes.ts'
import { scenes } from './_scenes.ts'

const { onScreen } = openLanes()

for (const scene of scenes)
  onScreen(`${scene.name}: the page is accessible, in dark mode, too`, async (t) => {
    using lane = await t.context.takeLane()
    const { page } = lane
    await visitOnPhone(lane, scene)
    t.deepEqual(await violationsOf(page, 'light'), [])
    await page.emulateMedia({ colorScheme: 'dark' })
    t.deepEqual(await violationsOf(page, 'dark'), [], 'in dark mode')
  })
