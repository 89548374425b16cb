import { checkPage } from './_check-page.ts'
import { openLanes } from './_lanes.ts'
import { scenes } from './_scenes.ts'

const { onScreen } = openLanes()

for (const scene of scenes)
  onScreen(`${scene.name}: the page is accessible, in dark mode, too`, async (t) => {
    using lane = await t.context.takeLane()
    await checkPage(t, lane, scene, ['light', 'dark'])
  })
