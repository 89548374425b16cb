/**
 * Draws the app icons from the mark. Run it after changing the mark.
 * Run with: node tests/site/make-icons.ts
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { launchBrowser } from './_browser.ts'

const SITE = join(import.meta.dirname, '../../services/site/src')

/** Maskable icons must fill the whole square. */
const ICONS = [
  { name: 'icon-192', size: 192, isSquare: false },
  { name: 'icon-512', size: 512, isSquare: false },
  { name: 'maskable-512', size: 512, isSquare: true },
  { name: 'apple-touch-180', size: 180, isSquare: true },
]

const mark = await readFile(join(SITE, 'styles/mark.svg'), 'utf8')
const browser = await launchBrowser()
for (const { name, size, isSquare } of ICONS) {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  const svg = mark
    .replace(/width="32" height="32"/, `width="${size}" height="${size}"`)
    .replace(' rx="7"', isSquare ? '' : ' rx="7"')
  await page.setContent(`<style>body{margin:0}svg{display:block}</style>${svg}`)
  await page.screenshot({ path: join(SITE, 'icons', `${name}.png`), omitBackground: true })
  await page.close()
}
await browser.close()
