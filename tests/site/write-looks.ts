/** Updates the stored pictures of looks.test.ts. Run with: npm run looks */
import './_fixed-clock.ts'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openBrowser } from './_browser.ts'
import { drawLooks, EVERY_KIND, LOOKS, toBytes } from './_looks.ts'
import { openSite } from './_site.ts'

await rm(LOOKS, { recursive: true, force: true })
await mkdir(LOOKS)
await using site = await openSite()
await using browser = await openBrowser()
let total = 0
for await (const { name, picture } of drawLooks(browser, site, EVERY_KIND)) {
  const bytes = toBytes(picture)
  total += bytes.length
  await writeFile(join(LOOKS, `${name}.png`), bytes)
}
process.stdout.write(`${LOOKS}: ${(total / 1000).toFixed(0)} KB\n`)
