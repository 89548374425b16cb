import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { PNG } from 'pngjs'
import { violationsOf } from './_axe.ts'
import { openBrowser } from './_browser.ts'
import { difference, drawLooks, type Kinds, LOOKS, toBytes } from './_looks.ts'
import { openSite } from './_site.ts'

/** Four pixels more padding of a button change 1% of a phone's screen; other rendering of fonts changes less than 0.1%. */
const MOST_DIFFERENCE = 0.004
/** pages.test.ts checks phones. */
const DESKS = [768, 1440]

/** Holds the pages against the stored pictures. @returns the files of those it compared */
export async function compareLooks(t: ExecutionContext, kinds: Kinds): Promise<string[]> {
  await using site = await openSite()
  await using browser = await openBrowser()
  const seen: string[] = []
  for await (const { name, picture, page, width, scheme } of drawLooks(browser, site, kinds)) {
    seen.push(`${name}.png`)
    const stored = PNG.sync.read(await readFile(join(LOOKS, `${name}.png`)))
    const share = difference(picture, stored)
    if (share > MOST_DIFFERENCE) t.fail(await explain(name, share, picture, stored))
    if (DESKS.includes(width)) t.deepEqual(await violationsOf(page, scheme), [], name)
  }
  return seen
}

async function explain(name: string, share: number, drawn: PNG, stored: PNG): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `${name}-`))
  await writeFile(join(folder, 'now.png'), toBytes(drawn))
  await writeFile(join(folder, 'before.png'), toBytes(stored))
  const percent = (share * 100).toFixed(2)
  return `${name} looks different (${percent}% of it): see ${folder}. If it should, run npm run looks.`
}
