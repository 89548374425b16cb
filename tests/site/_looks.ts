import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import pixelmatch from 'pixelmatch'
import type { Browser, Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { scenes } from './_scenes.ts'
import type { RunningSite } from './_site.ts'
import { visitScene } from './_visit-scene.ts'

export const LOOKS = join(import.meta.dirname, 'looks')

/** Scenes, and what of them must be on the screen; otherwise their top. */
const SHOWN = {
  'public-first-page': 'body',
  'sign-in': 'body',
  'set-up': 'body',
  inbox: 'body',
  message: 'body',
  'message-reply-files': '.composer',
  timeline: 'body',
  calendar: 'body',
  'to-dos': 'body',
  'care-circle': 'body',
  'emergency-sheet': 'body',
  settings: 'body',
}
const SCREENS = [
  { width: 360, height: 740 },
  { width: 768, height: 1024 },
  { width: 1440, height: 900 },
]
const SCHEMES = ['light', 'dark'] as const

export type Kinds = { screens: readonly (typeof SCREENS)[number][]; schemes: readonly (typeof SCHEMES)[number][] }

export const EVERY_KIND: Kinds = { screens: SCREENS, schemes: SCHEMES }
/** A phone and a desk, light. */
export const TWO_KINDS: Kinds = { screens: SCREENS.filter(({ width }) => width !== 768), schemes: ['light'] }

/** So many pixels of a side become one, so that the edges of letters hardly count. */
const SCALE = 4
/** Shades of gray that are kept: enough to see a missing box, and a few KB for a picture. */
const SHADES = 16
/** By pixelmatch, from 0 to 1. */
const THRESHOLD = 0.15

/** One font on every machine. Pages use the system's own. */
export const FONT = `@font-face { font-family: Looks; src: url(data:font/woff2;base64,${font(400)}); font-weight: 100 500 }
@font-face { font-family: Looks; src: url(data:font/woff2;base64,${font(700)}); font-weight: 501 900 }
:root { --sans: Looks; --serif: Looks; --mono: Looks }`

function font(weight: number): string {
  const name = `@fontsource/atkinson-hyperlegible/files/atkinson-hyperlegible-latin-${weight}-normal.woff2`
  return readFileSync(createRequire(import.meta.url).resolve(name)).toString('base64')
}

export type Look = { name: string; picture: PNG; page: Page; width: number; scheme: (typeof SCHEMES)[number] }

/** Draws every scene at each width, in each scheme, small and gray. */
export async function* drawLooks(
  browser: Browser,
  site: RunningSite,
  { screens, schemes }: Kinds,
): AsyncGenerator<Look> {
  await using context = await browser.newContext({ bypassCSP: true, locale: 'en-US', timezoneId: 'Europe/Lisbon' })
  for (const [name, shown] of Object.entries(SHOWN)) {
    const scene = scenes.find((one) => one.name === name)
    if (scene === undefined) throw new Error(`there is no scene ${name}`)
    const page = await visitScene(context, site, scene)
    await page.addStyleTag({ content: FONT })
    await page.evaluate('document.fonts.ready.then(() => undefined)')
    for (const screen of screens) {
      await page.setViewportSize(screen)
      await page.evaluate(`document.querySelector('${shown}').scrollIntoView()`)
      for (const scheme of schemes) {
        await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
        await page.evaluate(IMAGES_SHOWN)
        const picture = shrink(PNG.sync.read(await page.screenshot({ animations: 'disabled' })))
        yield { name: `${name}-${screen.width}-${scheme}`, picture, page, width: screen.width, scheme }
      }
    }
    await page.close()
  }
}

/** A page may have other images in dark mode, and for other widths. */
const IMAGES_SHOWN = `new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)))
  .then(() => Promise.all([...document.images]
    .filter((image) => image.getBoundingClientRect().top < innerHeight && !image.complete)
    .map((image) => new Promise((loaded) => { image.onload = image.onerror = loaded }))))
  .then(() => undefined)`

function shrink({ width, height, data }: PNG): PNG {
  const small = new PNG({ width: Math.ceil(width / SCALE), height: Math.ceil(height / SCALE) })
  for (let y = 0; y < small.height; y += 1)
    for (let x = 0; x < small.width; x += 1) {
      const shade = meanShade(data, width, height, x * SCALE, y * SCALE)
      const at = (y * small.width + x) * 4
      small.data.fill(shade, at, at + 3)
      small.data[at + 3] = 255
    }
  return small
}

/** Of a square, rounded to one of the shades. */
function meanShade(data: Buffer, width: number, height: number, left: number, top: number): number {
  let sum = 0
  let count = 0
  for (let y = top; y < Math.min(top + SCALE, height); y += 1)
    for (let x = left; x < Math.min(left + SCALE, width); x += 1) {
      const at = (y * width + x) * 4
      sum += 0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0)
      count += 1
    }
  return Math.round((Math.round(((sum / count) * (SHADES - 1)) / 255) * 255) / (SHADES - 1))
}

export function toBytes(picture: PNG): Buffer {
  return PNG.sync.write(picture, { colorType: 0, deflateLevel: 9 })
}

/** The share of pixels that differ, from 0 to 1. */
export function difference(drawn: PNG, stored: PNG): number {
  const { width, height } = drawn
  if (width !== stored.width || height !== stored.height) return 1
  const differing = pixelmatch(drawn.data, stored.data, undefined, width, height, { threshold: THRESHOLD })
  return differing / (width * height)
}
