import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { findSensitiveAsks } from './sensitive-asks.ts'

/** Made up, one on a line: subject, bar, text. The rules were made with every second one; the others check them. */
function read(name: string) {
  const lines = readFileSync(join(import.meta.dirname, `sensitive-asks.${name}.txt`), 'utf8')
    .trim()
    .split('\n')
  return lines.map((line) => line.split(' | ') as [subject: string, text: string])
}

const halves = [0, 1] as const
const halfOf = (name: string, half: number) => read(name).filter((_, index) => index % 2 === half)
const marked = (letters: [string, string][]) => letters.filter((letter) => findSensitiveAsks(...letter).length > 0)

for (const half of halves) {
  test(`of real letters, at most one in a hundred seems to ask for what nobody should send (half ${half + 1})`, (t) => {
    const letters = halfOf('letters', half)
    t.true(letters.length >= 200)
    const wrong = marked(letters)
    t.true(wrong.length <= letters.length / 100, JSON.stringify(wrong, null, 1))
  })

  test(`of scams, at least nine in ten are seen (half ${half + 1})`, (t) => {
    const scams = halfOf('scams', half)
    t.true(scams.length >= 100)
    const missed = scams.filter((letter) => findSensitiveAsks(...letter).length === 0)
    t.true(missed.length <= scams.length / 10, JSON.stringify(missed, null, 1))
  })
}

test('what a letter asks for is named', (t) => {
  const asks = (text: string) => findSensitiveAsks('Hello', text)
  t.deepEqual(asks('Please buy Steam gift cards and send me the codes.'), ['gift_cards'])
  t.deepEqual(asks('Confirm your password and your bank account number.'), ['password', 'account_number'])
  t.deepEqual(asks('Reply with your Medicare number.'), ['identity_number'])
  t.deepEqual(asks('I am stranded. Please wire me $2,000.'), ['money'])
  t.deepEqual(asks('Medicare will never ask you to send your Medicare number.'), [])
})

test('other scripts, invisible characters and letters set apart do not hide what is asked', (t) => {
  for (const text of [
    'Confirm your pass\u200bword.',
    'Confirm your pаsswоrd.',
    'Confirm your p.a.s.s.w.o.r.d now.',
    'Confirm your ｐａｓｓｗｏｒｄ.',
  ])
    t.deepEqual(findSensitiveAsks('', text), ['password'], text)
})

test('a long text takes no longer than its length', (t) => {
  const text = 'send '.repeat(4000) + 'a-'.repeat(4000)
  const started = performance.now()
  findSensitiveAsks('', text)
  t.true(performance.now() - started < 1000)
})
