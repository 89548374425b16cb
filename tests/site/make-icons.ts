/**
 * Renders the application icons from mark.svg. Run it when the mark changes.
 * Run with: node tests/site/make-icons.ts
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openBrowser } from './_browser.ts'

const SERVICES = join(import.meta.dirname, '../../services')
const ICON_FOLDER = join(SERVICES, 'site/src/assets/icons')

/** Systems that crop icons to their own shape need the whole square filled. */
const ICONS = [
  { path: join(ICON_FOLDER, 'icon-192.png'), size: 192, isSquare: false },
  { path: join(ICON_FOLDER, 'icon-512.png'), size: 512, isSquare: false },
  { path: join(ICON_FOLDER, 'maskable-512.png'), size: 512, isSquare: true },
  { path: join(ICON_FOLDER, 'apple-touch-180.png'), size: 180, isSquare: true },
  { path: join(SERVICES, 'gateway/src/mcp/icon-48.png'), size: 48, isSquare: false },
]

const mark = await readFile(join(ICON_FOLDER, 'mark.svg'), 'utf8')
const browser = await openBrowser()
for (const { path, size, isSquare } of ICONS) {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  const svg = mark
    .replace(/width="32" height="32"/, `width="${size}" height="${size}"`)
    .replace(' rx="7"', isSquare ? '' : ' rx="7"')
  await page.setContent(`<style>body{margin:0}svg{display:block}</style>${svg}`)
  await page.screenshot({ path, omitBackground: true })
  await page.close()
}
await browser.close()
