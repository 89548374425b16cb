import { randomBytes } from 'node:crypto'
import test from 'ava'
import { createSecretBox } from './secret-box.ts'

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]

test('a sealed secret can be opened, and its ciphertext reveals nothing', (t) => {
  const box = createSecretBox([oldKey])
  const sealed = box.seal('pipe_secret', 'partner 1')
  t.is(box.open(sealed, 'partner 1'), 'pipe_secret')
  t.not(box.seal('pipe_secret', 'partner 1'), sealed)
  t.false(sealed.includes('secret') || Buffer.from(sealed.split('.')[1] ?? '', 'base64url').includes('secret'))
})

test('a secret does not open for another partner, after a change, or with another key', (t) => {
  const box = createSecretBox([oldKey])
  const sealed = box.seal('pipe_secret', 'partner 1')
  t.throws(() => box.open(sealed, 'partner 2'))
  const at = sealed.length - 30
  t.throws(() => box.open(sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1), 'partner 1'))
  t.throws(() => createSecretBox([newKey]).open(sealed, 'partner 1'), { message: /not configured/ })
})

test('the first key seals, and every key opens', (t) => {
  const old = createSecretBox([oldKey]).seal('a', 'x')
  const both = createSecretBox([newKey, oldKey])
  t.is(both.open(old, 'x'), 'a')
  t.false(both.isCurrent(old))
  const fresh = both.seal('a', 'x')
  t.true(both.isCurrent(fresh))
  t.is(createSecretBox([newKey]).open(fresh, 'x'), 'a')
})
