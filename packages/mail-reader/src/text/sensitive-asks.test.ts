import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { findSensitiveAsks } from './sensitive-asks.ts'

/** Made up for this, one on a line: subject, bar, text. The rules were made with them, so mail of the world is harder. */
function read(name: string) {
  const lines = readFileSync(join(import.meta.dirname, `sensitive-asks.${name}.txt`), 'utf8')
    .trim()
    .split('\n')
  return lines.map((line) => line.split(' | ') as [subject: string, text: string])
}

const isMarked = (letter: [subject: string, text: string]) => findSensitiveAsks(...letter).length > 0

for (const [name, least] of [
  ['letters', 400],
  ['notices', 20],
] as const)
  test(`of real ${name}, at most one in a hundred seems to ask for what nobody should send`, (t) => {
    const letters = read(name)
    t.true(letters.length >= least)
    const marked = letters.filter(isMarked)
    t.true(marked.length <= letters.length / 100, JSON.stringify(marked, null, 1))
  })

test('of scams, at least nine in ten are seen', (t) => {
  const scams = read('scams')
  t.true(scams.length >= 200)
  const missed = scams.filter((letter) => !isMarked(letter))
  t.true(missed.length <= scams.length / 10, JSON.stringify(missed, null, 1))
})

test('a warning that is elsewhere in the sentence hides nothing', (t) => {
  for (const text of [
    'Send me the gift card codes and do not call me.',
    'You will never regret it, just reply with your SSN.',
    `${'Good day to you. '.repeat(2000)}Please send your Medicare number.`,
  ])
    t.is(findSensitiveAsks('', text).length, 1, text.slice(0, 60))
  t.deepEqual(
    findSensitiveAsks('', 'Scammers ask you to send gift cards. Never send your Medicare number to anybody.'),
    [],
  )
})

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

test('what a long text asks for is found at its end, too', (t) => {
  const text = `${'send '.repeat(4000)}${'a-'.repeat(4000)}. Send your password.`
  t.deepEqual(findSensitiveAsks('', text), ['password'])
})
