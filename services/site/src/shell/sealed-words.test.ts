import test from 'ava'
import { openWords, sealWords } from './sealed-words.ts'

const now = new Date('2026-05-12T10:00:00Z')
const ana = { secret: 'a secret', personId: 'per_ana', now }
const sealed = sealWords('biopsy Rosa', ana)

test('only the same person can open sealed words, within a day', (t) => {
  t.is(openWords(sealed, ana), 'biopsy Rosa')
  t.is(openWords(sealed, { ...ana, personId: 'per_luis' }), '')
  t.is(openWords(sealed, { ...ana, secret: 'another secret' }), '')
  t.is(openWords(sealed, { ...ana, now: new Date(now.getTime() + 86_400_000) }), '')
  t.notRegex(Buffer.from(sealed, 'base64url').toString('latin1'), /biopsy|Rosa/)
})

test('forged or truncated words open to nothing', (t) => {
  for (const forged of ['', 'x', '%%%', sealed.slice(1), sealed.slice(0, -2), `${sealed}AA`, 'A'.repeat(200)])
    t.is(openWords(forged, ana), '')
})
