import './_fixed-clock.ts'
import { readdir } from 'node:fs/promises'
import test from 'ava'
import { findChromium } from './_browser.ts'
import { compareLooks } from './_compare-looks.ts'
import { EVERY_KIND, LOOKS } from './_looks.ts'

const onScreen = findChromium() === undefined ? test.skip : test

onScreen('pages look as they did at every width, light and dark, and are accessible on every desk', async (t) => {
  const seen = await compareLooks(t, EVERY_KIND)
  t.deepEqual((await readdir(LOOKS)).sort(), seen.sort(), 'npm run looks')
})
