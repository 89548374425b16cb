import { openBrowser, type Page, toCookies } from '../../tests/site/_browser.ts'

/** Times in milliseconds; the layout shift is a score, the weight in bytes on the wire. */
export type PageLoad = {
  firstContentfulPaintMs: number
  largestContentfulPaintMs: number
  cumulativeLayoutShift: number
  totalBlockingMs: number
  /** The slowest of a few taps and keys, from the touch to the next picture; 0 without any. */
  interactionToNextPaintMs: number
  bytes: number
}

/** A phone on a slow line, with the values of Lighthouse. */
const SLOW_LINE = { offline: false, latency: 150, downloadThroughput: 204_800, uploadThroughput: 96_000 }
const SLOW_CPU = 4
const SETTLE_MS = 3000

/** @param act what a person does on the page once it is there */
export async function loadPage(
  url: string,
  cookie: string,
  act: (page: Page) => Promise<unknown> = async () => {},
): Promise<PageLoad> {
  const browser = await openBrowser()
  try {
    const context = await browser.newContext({
      viewport: { width: 390, height: 844 },
      deviceScaleFactor: 2,
      hasTouch: true,
    })
    await context.addCookies(toCookies(cookie, url))
    await context.addInitScript(OBSERVE)
    const page = await context.newPage()
    const devTools = await context.newCDPSession(page)
    await devTools.send('Network.enable')
    await devTools.send('Network.emulateNetworkConditions', SLOW_LINE)
    await devTools.send('Emulation.setCPUThrottlingRate', { rate: SLOW_CPU })
    let bytes = 0
    devTools.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength
    })
    await page.goto(url)
    await page.waitForTimeout(SETTLE_MS)
    await act(page)
    await page.waitForTimeout(SETTLE_MS / 10)
    const seen = await page.evaluate<Omit<PageLoad, 'bytes'>>('window.measured()')
    return { ...seen, bytes }
  } finally {
    await browser.close()
  }
}

const OBSERVE = `{
  let lcp = 0, cls = 0, tbt = 0, inp = 0
  const watch = (type, note) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true, durationThreshold: 16 })
  watch('largest-contentful-paint', (entry) => { lcp = entry.startTime })
  watch('layout-shift', (entry) => { if (!entry.hadRecentInput) cls += entry.value })
  watch('longtask', (entry) => { tbt += Math.max(0, entry.duration - 50) })
  watch('event', (entry) => { if (entry.interactionId) inp = Math.max(inp, entry.duration) })
  window.measured = () => ({
    firstContentfulPaintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
    largestContentfulPaintMs: lcp,
    cumulativeLayoutShift: cls,
    totalBlockingMs: tbt,
    interactionToNextPaintMs: inp,
  })
}`
