import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, type BrowserServer, chromium } from 'playwright-core'

export type { Page } from 'playwright-core'

/** Without windows first: the same engine, in a third of the processor time to start. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
]

/** Finds Chromium: `CHROMIUM`, or the first known name on the PATH. */
export function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const candidates = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))
  return [process.env.CHROMIUM, ...candidates].find((path) => path !== undefined && isExecutable(path))
}

/** Names the address of the browser that test files share; `npm test` sets it. */
export const SHARED_BROWSER = 'SHARED_TEST_BROWSER'

const OPTIONS = {
  executablePath: findChromium(),
  args: [
    // As with windows: hinted glyphs have other widths, so lines break elsewhere.
    '--font-render-hinting=none',
    '--no-sandbox',
    // Otherwise each page of ours, which shares no window with others, starts a process.
    '--renderer-process-limit=2',
    '--disable-quic',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-domain-reliability',
    '--disable-sync',
    '--no-first-run',
    '--no-pings',
    '--no-proxy-server',
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
  ],
}

/** Headless Chromium without background network requests: the shared one, whose contexts are this caller's alone, or a new one. */
export function openBrowser(): Promise<Browser> {
  const shared = process.env[SHARED_BROWSER]
  return shared === undefined ? chromium.launch(OPTIONS) : chromium.connect(shared)
}

/** Starts a browser for other processes. */
export function serveBrowser(): Promise<BrowserServer> {
  return chromium.launchServer({ ...OPTIONS, host: '127.0.0.1' })
}

/** A Cookie header's value, for a browser's context. */
export function toCookies(cookie: string, url: string) {
  return cookie.split('; ').map((pair) => {
    const at = pair.indexOf('=')
    return { name: pair.slice(0, at), value: pair.slice(at + 1), url }
  })
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
