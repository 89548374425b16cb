import anyTest, { type TestFn } from 'ava'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { findChromium, openBrowser } from './_browser.ts'
import { openSite, type RunningSite } from './_site.ts'
import { visitScene } from './_visit-scene.ts'
import type { Scene } from './scenes/_scene.ts'

/** A site with its own world and a browser window; scenes take turns, and lanes run in parallel. */
export type Lane = { site: RunningSite; context: BrowserContext; page: Page; complaints: string[] }

const LANES = 2
const PHONE = { width: 360, height: 740 }

/** Opens a browser and two sites for the tests of a file. `onScreen` is skipped without Chromium. */
export function openLanes() {
  const test = anyTest as TestFn<{ browser: Browser; lanes: Lane[]; takeLane(): Promise<Lane & Disposable> }>
  const hasBrowser = findChromium() !== undefined

  test.before(async (t) => {
    if (!hasBrowser) return
    const browser = await openBrowser()
    const lanes = await Promise.all(Array.from({ length: LANES }, () => openLane(browser)))
    t.context = { browser, lanes, takeLane: createLaneQueue(lanes) }
  })
  test.after.always(async (t) => {
    const { browser, lanes } = t.context
    await browser?.close()
    await Promise.all(lanes?.map(({ site }) => site[Symbol.asyncDispose]()) ?? [])
  })
  return { onScreen: hasBrowser ? test : test.skip }
}

/** Opens a scene on a phone in light mode. */
export async function visitOnPhone({ context, site, page, complaints }: Lane, scene: Scene | undefined): Promise<void> {
  if (scene === undefined) throw new Error('there is no such scene')
  await page.goto('about:blank') // drops late messages of the previous scene
  complaints.length = 0
  await page.setViewportSize(PHONE)
  await page.emulateMedia({ colorScheme: 'light' })
  await visitScene(context, site, scene, page)
}

async function openLane(browser: Browser): Promise<Lane> {
  const site = await openSite()
  const context = await browser.newContext({ viewport: PHONE })
  return { site, context, page: await context.newPage(), complaints: watchFor(context, site) }
}

/** Hands out free lanes in the order of the requests. */
function createLaneQueue(lanes: readonly Lane[]): () => Promise<Lane & Disposable> {
  const free = [...lanes]
  const waiting: ((lane: Lane) => void)[] = []
  const giveBack = (lane: Lane) => {
    const next = waiting.shift()
    if (next) next(lane)
    else free.push(lane)
  }
  return async () => {
    const lane = free.shift() ?? (await new Promise<Lane>((resolve) => waiting.push(resolve)))
    return { ...lane, [Symbol.dispose]: () => giveBack(lane) }
  }
}

function watchFor(context: BrowserContext, site: RunningSite): string[] {
  const complaints: string[] = []
  context.on('console', (message) => {
    // Chromium logs every 4xx and 5xx response, which some scenes expect.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  context.on('request', (request) => {
    if (![site.url, site.publicUrl].some((ours) => request.url().startsWith(`${ours}/`))) complaints.push(request.url())
  })
  return complaints
}
