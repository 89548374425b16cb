/**
 * Renders the application icons from mark.svg. Run it when the mark changes.
 * Run with: node tests/site/make-icons.ts
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { launchBrowser } from './_browser.ts'

const ICON_FOLDER = join(import.meta.dirname, '../../services/site/src/shell/icons')

/** Systems that crop icons to their own shape need the whole square filled. */
const ICONS = [
  { name: 'icon-192', size: 192, isSquare: false },
  { name: 'icon-512', size: 512, isSquare: false },
  { name: 'maskable-512', size: 512, isSquare: true },
  { name: 'apple-touch-180', size: 180, isSquare: true },
]

const mark = await readFile(join(ICON_FOLDER, 'mark.svg'), 'utf8')
const browser = await launchBrowser()
for (const { name, size, isSquare } of ICONS) {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  const svg = mark
    .replace(/width="32" height="32"/, `width="${size}" height="${size}"`)
    .replace(' rx="7"', isSquare ? '' : ' rx="7"')
  await page.setContent(`<style>body{margin:0}svg{display:block}</style>${svg}`)
  await page.screenshot({ path: join(ICON_FOLDER, `${name}.png`), omitBackground: true })
  await page.close()
}
await browser.close()
