import './_fixed-clock.ts'
import test from 'ava'
import { findChromium } from './_browser.ts'
import { compareLooks } from './_compare-looks.ts'
import { TWO_KINDS } from './_looks.ts'

const onScreen = findChromium() === undefined ? test.skip : test

onScreen('pages look as they did, on a phone and a desk, and are accessible on a desk', async (t) => {
  t.true((await compareLooks(t, TWO_KINDS)).length > 20)
})
