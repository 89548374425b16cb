import test from 'ava'
import { createWordSeal } from './sealed-words.ts'

const seal = createWordSeal('a secret')
const now = new Date('2026-05-12T10:00:00Z')
const sealed = seal.seal('biopsy Rosa', 'per_ana', now)

test('only the same person can open sealed words, within a day', (t) => {
  t.is(seal.open(sealed, 'per_ana', now), 'biopsy Rosa')
  t.is(seal.open(sealed, 'per_luis', now), '')
  t.is(createWordSeal('another secret').open(sealed, 'per_ana', now), '')
  t.is(seal.open(sealed, 'per_ana', new Date(now.getTime() + 86_400_000)), '')
  t.notRegex(Buffer.from(sealed, 'base64url').toString('latin1'), /biopsy|Rosa/)
})

test('forged or truncated words open to nothing', (t) => {
  for (const forged of ['', 'x', '%%%', sealed.slice(1), sealed.slice(0, -2), `${sealed}AA`, 'A'.repeat(200)])
    t.is(seal.open(forged, 'per_ana', now), '')
})
