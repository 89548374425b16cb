/**
 * Takes screenshots of every scene at three widths, light and dark.
 * Run with: node tests/site/screenshots.ts [folder] [part of a scene's name]
 */
import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBrowser } from './_browser.ts'
import { scenes } from './_scenes.ts'
import { openSite } from './_site.ts'
import { visitScene } from './_visit-scene.ts'

const WIDTHS = [360, 768, 1440]

const [, , folder = await mkdtemp(join(tmpdir(), 'screenshots-')), part = ''] = process.argv
await mkdir(folder, { recursive: true })
await using site = await openSite()
const browser = await openBrowser()
const context = await browser.newContext({ javaScriptEnabled: false })
for (const scene of scenes.filter(({ name }) => name.includes(part))) {
  const page = await visitScene(context, site, scene)
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: width < 600 ? 740 : 900 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: join(folder, `${scene.name}-${width}-${colorScheme}.png`), fullPage: true })
    }
  }
  await page.close()
}
await browser.close()
process.stdout.write(`${folder}\n`)
